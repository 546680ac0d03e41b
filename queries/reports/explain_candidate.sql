-- question: Which exchanges may have left their pages to an exchange, the most recent first?
-- grain: one row per mechanism and candidate source
-- inputs: candidate, exchange, finding; $exchange
SELECT
    c.mechanism,
    c.rank,
    e.request_id,
    e.tenant,
    e.received_ns,
    e.released_ns,
    (
        SELECT sum(f.bits_milli)::BIGINT FROM finding AS f
        WHERE
            f.exchange_id = c.exchange_id AND f.source_exchange_id = c.source_exchange_id AND f.mechanism = c.mechanism
    ) AS bits_milli
FROM candidate AS c
INNER JOIN exchange AS e ON e.exchange_id = c.source_exchange_id
WHERE c.exchange_id = $exchange
ORDER BY c.mechanism, c.rank, e.request_id, e.exchange_id
