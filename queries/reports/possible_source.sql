-- question: Which tenants may own what an affected response holds, where its source could not be named, and by which of
--   their requests?
-- grain: one row per tenant and own candidate request (one without a request where no candidate is recorded)
-- inputs: report_row, possible_source, candidate, exchange
-- columns: nothing of the recipients but their number
SELECT
    p.tenant,
    e.exchange_id AS source_exchange_id,
    e.request_id AS source_request_id,
    e.received_ns AS source_received_ns,
    any_value(n.responses) AS responses
FROM possible_source AS p
INNER JOIN report_row AS r ON r.exchange_id = p.exchange_id AND r.integrity = 'affected'
INNER JOIN (
    SELECT
        o.tenant,
        count(DISTINCT o.exchange_id) AS responses
    FROM possible_source AS o
    INNER JOIN report_row AS a ON a.exchange_id = o.exchange_id AND a.integrity = 'affected'
    GROUP BY o.tenant
) AS n ON n.tenant = p.tenant
LEFT JOIN (
    candidate AS c
    INNER JOIN exchange AS e ON e.exchange_id = c.source_exchange_id
) ON c.exchange_id = p.exchange_id AND e.tenant = p.tenant
GROUP BY p.tenant, e.exchange_id, e.request_id, e.received_ns
ORDER BY p.tenant, source_received_ns NULLS LAST, source_request_id, source_exchange_id
