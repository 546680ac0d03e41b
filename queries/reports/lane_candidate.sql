-- question: Which exchanges are the most recent candidate sources of each affected or undetermined response?
-- grain: one row per such response and candidate source, no more than $first of them by rank
-- inputs: report_row, report_told, candidate, exchange
SELECT
    c.exchange_id,
    c.mechanism,
    c.rank,
    c.source_exchange_id,
    e.request_id,
    e.tenant,
    e.received_ns,
    e.released_ns,
    e.prompt_tokens,
    EXISTS (
        SELECT 1 FROM report_told AS f
        WHERE f.exchange_id = c.exchange_id AND f.source_exchange_id = c.source_exchange_id
    ) AS found
FROM candidate AS c
INNER JOIN report_row AS r ON r.exchange_id = c.exchange_id AND r.integrity IN ('affected', 'undetermined')
INNER JOIN exchange AS e ON e.exchange_id = c.source_exchange_id
WHERE c.rank <= $first OR found
ORDER BY c.exchange_id, c.mechanism, c.rank, c.source_exchange_id
