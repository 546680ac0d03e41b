-- question: Which exchange, as its client or gateway saw it, does each client-side record belong to?
-- grain: one row per record of kind client
-- inputs: record
-- assumptions: the response id is the exchange's name; where a record has none, another record of the same call id, or
--   of a trace that names one response only (a stream's headers, request and body share one), supplies it, and last the one
--   gateway call with the same messages at the same time; one response
--   id under two call ids of one gateway is two exchanges, since ids may be forged; gateways behind one another, which have
--   call ids of their own, saw one exchange. A gateway's formats are told by their names' first word.
WITH client AS (SELECT * FROM record WHERE kind = 'client'),

by_call AS (
    SELECT call_id, min(response_id) AS response_id
    FROM client
    WHERE call_id IS NOT NULL AND response_id IS NOT NULL
    GROUP BY call_id
    HAVING count(DISTINCT response_id) = 1
),

by_trace AS (
    SELECT trace_id, min(response_id) AS response_id, min(call_id) AS call_id
    FROM client
    WHERE trace_id IS NOT NULL
    GROUP BY trace_id
    HAVING count(DISTINCT response_id) <= 1 AND count(DISTINCT call_id) <= 1
),

by_ids AS (
    SELECT
        c.record_id, split_part(c.format, '_', 1) AS gateway,
        coalesce(c.response_id, b.response_id, t.response_id, tb.response_id) AS response_id,
        coalesce(c.call_id, t.call_id) AS call_id,
        c.trace_id, c.prompt_hash, coalesce(c.received_ns, c.at_ns) AS received_ns, coalesce(c.finished_ns, c.at_ns) AS finished_ns
    FROM client AS c
    LEFT JOIN by_call AS b ON b.call_id = c.call_id
    LEFT JOIN by_trace AS t ON t.trace_id = c.trace_id
    LEFT JOIN by_call AS tb ON tb.call_id = t.call_id
),

by_content AS (
    SELECT a.record_id, min(n.response_id) AS response_id, min(n.call_id) AS call_id
    FROM by_ids AS a
    INNER JOIN by_ids AS n
        ON
            n.prompt_hash = a.prompt_hash AND n.call_id IS NOT NULL
            AND n.received_ns <= a.finished_ns + 2000000000 AND n.finished_ns >= a.received_ns - 2000000000
    WHERE a.response_id IS NULL AND a.call_id IS NULL
    GROUP BY a.record_id
    HAVING count(DISTINCT coalesce(n.response_id, n.call_id)) = 1
),

named AS (
    SELECT
        i.record_id, i.gateway, coalesce(i.response_id, b.response_id) AS response_id, coalesce(i.call_id, b.call_id) AS call_id, i.trace_id
    FROM by_ids AS i
    LEFT JOIN by_content AS b ON b.record_id = i.record_id
),

seen AS (
    SELECT response_id, gateway, min(call_id) AS call_id, count(DISTINCT call_id) AS calls
    FROM named
    WHERE response_id IS NOT NULL
    GROUP BY response_id, gateway
),

calls AS (
    SELECT response_id, min(call_id) AS call_id, max(calls) AS calls
    FROM seen
    GROUP BY response_id
)

SELECT
    n.record_id, n.response_id,
    coalesce(n.call_id, CASE WHEN calls.calls = 1 THEN calls.call_id END) AS call_id,
    CASE
        WHEN n.response_id IS NULL THEN coalesce('call:' || n.call_id, 'trace:' || n.trace_id, 'record:' || n.record_id)
        WHEN calls.calls > 1 THEN 'response:' || n.response_id || '|' || coalesce(n.call_id, '')
        ELSE 'response:' || n.response_id
    END AS client_id,
    coalesce(calls.calls > 1, false) AS id_repeated
FROM named AS n
LEFT JOIN calls ON calls.response_id = n.response_id
ORDER BY n.record_id
