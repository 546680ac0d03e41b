-- question: Beside which exchanges of other tenants did each complete response run?
-- grain: one row per (exchange, neighbour), of the sixteen received before it and the sixteen after; one with no neighbour
--   where none of them ran beside it
-- inputs: exchange, exchange_text; $most
-- assumptions: answers are mistaken for one another while both are under way, give or take five seconds; on which worker does
--   not matter, since a gateway or router may do it. Compared are exchanges whose own prompt and response are complete; none
--   where there are more than $most, since their words are held in memory.
WITH whole AS (
    SELECT
        x.exchange_id, x.tenant, x.received_ns, coalesce(x.finished_ns, x.received_ns) AS finished_ns,
        coalesce(p.state = 'complete' AND r.state = 'complete', false) AS judged,
        row_number() OVER (ORDER BY x.received_ns, x.exchange_id) AS place
    FROM exchange AS x
    INNER JOIN exchange_text AS p ON p.exchange_id = x.exchange_id AND p.side = 'prompt'
    LEFT JOIN exchange_text AS r ON r.exchange_id = x.exchange_id AND r.side = 'response'
    WHERE x.received_ns IS NOT NULL AND x.tenant_class != 'unresolved'
),

near AS (
    SELECT c.exchange_id, o.exchange_id AS neighbour_id
    FROM whole AS c
    CROSS JOIN (SELECT unnest(range(-16, 17)) AS step) AS s
    INNER JOIN whole AS o ON o.place = c.place + s.step
    WHERE
        c.judged AND o.tenant != c.tenant
        AND o.received_ns <= c.finished_ns + 5000000000 AND o.finished_ns >= c.received_ns - 5000000000
)

SELECT c.exchange_id, n.neighbour_id
FROM whole AS c
LEFT JOIN near AS n ON n.exchange_id = c.exchange_id
WHERE c.judged AND (SELECT count(*) FROM whole) <= $most
ORDER BY c.exchange_id, n.neighbour_id NULLS FIRST
