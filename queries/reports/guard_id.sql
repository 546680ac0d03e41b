-- question: Which ids does each tenant's traffic carry?
-- grain: one row per tenant and id
-- inputs: exchange, exchange_record, record
WITH known AS (
    SELECT tenant, unnest([request_id, exchange_id, room, decode_rid, prefill_rid]) AS id FROM exchange
    UNION
    SELECT e.tenant, unnest([r.response_id, r.call_id, r.rid, r.room, r.router_request_id, r.trace_id])
    FROM exchange AS e
    INNER JOIN exchange_record AS x ON x.exchange_id = e.exchange_id
    INNER JOIN record AS r ON r.record_id = x.record_id
)

SELECT
    tenant,
    id
FROM known
WHERE id IS NOT NULL AND id <> ''
ORDER BY tenant, id
