-- question: Over which logs were signs of use looked for?
-- grain: one row
-- inputs: sign_subject, file
SELECT
    count(*) AS exchanges,
    count(prompt_tokens) AS with_length,
    count(limit_tokens) AS with_limit,
    count(*) FILTER (WHERE key != '') AS with_key,
    count(prompt_record_id) AS with_text,
    count(*) FILTER (WHERE over_pool IS NOT NULL) AS over_pool,
    min(received_ns) AS first_ns,
    max(received_ns) AS last_ns,
    (SELECT count(*) FROM file WHERE copy_of IS NULL) AS files
FROM sign_subject
