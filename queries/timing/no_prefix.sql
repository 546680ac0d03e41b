-- question: What is known of prompts' beginnings where no text is read?
-- grain: no row; `analyze --metadata-only` takes this in place of timing/prefix
-- inputs: none
SELECT
    NULL::VARCHAR AS exchange_id, NULL::BIGINT AS step, NULL::VARCHAR AS digest, NULL::BOOLEAN AS cut,
    NULL::BOOLEAN AS is_top
WHERE false
