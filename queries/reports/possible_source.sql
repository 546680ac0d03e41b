-- question: Which tenants may own what affected responses hold, where no owner could be named, and by which of their
--   requests?
-- grain: one row per tenant and own candidate request (one without a request where no candidate is recorded)
-- inputs: report_row, report_possible, candidate, exchange
-- columns: nothing of the recipients but their number
WITH counted AS (
    SELECT
        tenant,
        count(DISTINCT exchange_id) AS responses
    FROM report_possible
    GROUP BY tenant
),

held AS (
    SELECT DISTINCT
        p.tenant,
        e.exchange_id AS source_exchange_id,
        e.request_id AS source_request_id,
        e.received_ns AS source_received_ns
    FROM report_possible AS p
    INNER JOIN report_row AS r ON r.exchange_id = p.exchange_id
    INNER JOIN candidate AS c ON c.exchange_id = p.exchange_id AND c.mechanism = r.mechanism
    INNER JOIN exchange AS e ON e.exchange_id = c.source_exchange_id AND e.tenant = p.tenant
)

SELECT
    n.tenant,
    n.responses,
    h.source_exchange_id,
    h.source_request_id,
    h.source_received_ns
FROM counted AS n
LEFT JOIN held AS h USING (tenant)
ORDER BY n.tenant, h.source_received_ns NULLS LAST, h.source_request_id, h.source_exchange_id
