-- question: What is known of prompts' beginnings before any text is read?
-- grain: no row; with `analyze --metadata-only` it stays so, else timing/prefix adds its own
-- inputs: none
SELECT
    NULL::VARCHAR AS exchange_id, NULL::BIGINT AS step, NULL::VARCHAR AS digest, NULL::BOOLEAN AS cut,
    NULL::BOOLEAN AS is_top
WHERE false
