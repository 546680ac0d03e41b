-- question: Beside which exchanges of other tenants did each complete response run?
-- grain: one row per (exchange, neighbour), at most thirty-two each, the nearest in time
-- inputs: exchange, exchange_text
-- assumptions: answers are mistaken for one another while both are under way, give or take five seconds; on which worker does
--   not matter, since a gateway or router may do it. Compared are exchanges whose own prompt and response are complete.
WITH whole AS (
    SELECT
        x.exchange_id, x.tenant, x.received_ns, coalesce(x.finished_ns, x.received_ns) AS finished_ns,
        (p.state = 'complete' AND r.state = 'complete') AS judged
    FROM exchange AS x
    INNER JOIN exchange_text AS p ON p.exchange_id = x.exchange_id AND p.side = 'prompt'
    LEFT JOIN exchange_text AS r ON r.exchange_id = x.exchange_id AND r.side = 'response'
    WHERE x.received_ns IS NOT NULL AND x.tenant_class != 'unresolved'
)

SELECT c.exchange_id, o.exchange_id AS neighbour_id
FROM whole AS c
INNER JOIN whole AS o
    ON
        o.tenant != c.tenant
        AND o.received_ns BETWEEN c.received_ns - 60000000000 AND c.finished_ns + 5000000000
        AND o.finished_ns >= c.received_ns - 5000000000
WHERE c.judged
QUALIFY row_number() OVER (
    PARTITION BY c.exchange_id ORDER BY abs(o.received_ns - c.received_ns), o.exchange_id
) <= 32
ORDER BY c.exchange_id, neighbour_id
