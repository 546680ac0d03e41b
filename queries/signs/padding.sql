-- question: Which over-pool prompts are mostly one piece of text over and over?
-- grain: one row per (tenant, key)
-- inputs: sign_subject, text (view)
-- sign: padding
-- looks for: over-pool prompts of whose pieces of 64 characters, of the first half million, fewer than a quarter differ
-- needs: lengths, texts
-- assumptions: a filler of fewer than some 2,000 characters that is repeated gives the same pieces again, a longer one if its
--   length is a multiple of 64; written text does not.
-- false positives: tables, logs and generated code with long runs of equal lines.
WITH piece AS (
    SELECT s.exchange_id, regexp_extract_all(left(b.text, 500000), '(?s).{64}') AS pieces
    FROM sign_subject AS s
    INNER JOIN text AS b ON b.record_id = s.prompt_record_id AND b.side = 'prompt'
    WHERE s.over_pool IS NOT NULL AND length(b.text) >= 4096
),

measured AS (
    SELECT exchange_id, sum(len(pieces)) AS pieces, sum(len(list_distinct(pieces))) AS distinct_pieces
    FROM piece
    GROUP BY exchange_id
)

SELECT
    s.tenant, s.tenant_class, s.key, count(*) AS requests, min(s.received_ns) AS first_ns, max(s.received_ns) AS last_ns,
    count(*) || ' over-pool prompts of repeated text; in the most uniform, ' || min(m.distinct_pieces * 1000 // m.pieces)
    || ' of 1,000 pieces differed' AS detail,
    list(s.request_id ORDER BY s.received_ns, s.exchange_id) AS request_ids
FROM measured AS m
INNER JOIN sign_subject AS s ON s.exchange_id = m.exchange_id
WHERE m.distinct_pieces * 4 < m.pieces
GROUP BY s.tenant, s.tenant_class, s.key
