-- question: Which exchanges does a report from outside mean?
-- grain: one row per (sighting, exchange)
-- inputs: sighting, sighting_id, exchange, exchange_record, record, sighting_match
-- assumptions: an id of any kind that a record carries; or a response that holds the excerpt; or, where a sighting tells
--   neither an id that is known nor an excerpt that is found, the exchanges of its time (a minute around it), model and
--   tenant, as far as it names them. Only the first two are grounds for a suspicion.
WITH by_id AS (
    SELECT DISTINCT s.sighting, x.exchange_id
    FROM sighting_id AS s
    INNER JOIN record AS r
        ON s.id IN (r.response_id, r.call_id, r.rid, r.room, r.router_request_id, r.trace_id)
    INNER JOIN exchange_record AS x ON x.record_id = r.record_id
),

by_text AS (
    SELECT DISTINCT sighting, exchange_id FROM sighting_match WHERE side = 'response'
),

by_time AS (
    SELECT s.sighting, x.exchange_id
    FROM sighting AS s
    INNER JOIN exchange AS x
        ON
            x.received_ns <= coalesce(s.until_ns, s.at_ns) + 60000000000
            AND coalesce(x.finished_ns, x.received_ns) >= s.at_ns - 60000000000
            AND (s.model = '' OR x.model = s.model) AND (s.tenant = '' OR x.tenant = s.tenant)
    WHERE
        s.sighting NOT IN (SELECT sighting FROM by_id) AND s.sighting NOT IN (SELECT sighting FROM by_text)
)

SELECT sighting, exchange_id, 'id' AS how FROM by_id
UNION ALL
SELECT sighting, exchange_id, 'text' FROM by_text WHERE (sighting, exchange_id) NOT IN (SELECT (sighting, exchange_id) FROM by_id)
UNION ALL
SELECT sighting, exchange_id, 'time' FROM by_time
ORDER BY ALL
