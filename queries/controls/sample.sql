-- question: Which of the case's exchanges are taken along as company for what is planted?
-- grain: one row per exchange of the sample, in the order of their times
-- inputs: exchange, exchange_record, record; $most exchanges, $characters of each
-- assumptions: a stretch of consecutive exchanges with short texts, from a place that a hash of the case's own ids
--   chooses: the same evidence gives the same sample, and its texts lie close together in few files.
WITH size AS (
    SELECT t.exchange_id, sum(coalesce(r.prompt_chars, 0) + coalesce(r.response_chars, 0)) AS characters
    FROM exchange_record AS t
    INNER JOIN record AS r ON r.record_id = t.record_id
    GROUP BY t.exchange_id
),

short AS (
    SELECT
        x.exchange_id, x.received_ns,
        row_number() OVER (ORDER BY x.received_ns, x.exchange_id) - 1 AS place,
        count(*) OVER () AS exchanges
    FROM exchange AS x
    INNER JOIN size AS s ON s.exchange_id = x.exchange_id
    WHERE x.received_ns IS NOT NULL AND s.characters <= $characters
),

start AS (
    SELECT coalesce(max(md5_number_lower(exchange_id) % greatest(exchanges - $most + 1, 1)), 0) AS place
    FROM short
    WHERE exchange_id = (SELECT min(exchange_id) FROM short)
)

SELECT s.exchange_id
FROM short AS s
CROSS JOIN start
WHERE s.place >= start.place AND s.place < start.place + $most
ORDER BY s.received_ns, s.exchange_id
