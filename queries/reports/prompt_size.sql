-- question: How long were the prompts, and which of them were over the pool?
-- grain: one row per class of length (its lower edge) and outcome; no edge where the length is not known
-- inputs: report_row; $edges, a list of lower edges in tokens
-- columns: outcome is the over-pool outcome, or below for a request that was not over the pool
-- assumptions: tokens as the engine's tokenizer counted them, where its count is in the logs
SELECT
    e.low,
    coalesce(r.over_pool, 'below') AS outcome,
    count(*) AS requests
FROM report_row AS r
ASOF LEFT JOIN (SELECT unnest($edges::BIGINT []) AS low) AS e ON r.prompt_tokens >= e.low
GROUP BY ALL
ORDER BY e.low NULLS FIRST, outcome
