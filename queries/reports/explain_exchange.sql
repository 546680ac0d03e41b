-- question: Which exchanges does an id mean?
-- grain: one row per exchange that carries the id, as its own or in one of its records
-- inputs: report_row, exchange, exchange_record, record; $request
WITH hit AS (
    SELECT exchange_id FROM exchange
    WHERE $request IN (request_id, exchange_id, decode_rid, prefill_rid, room)
    UNION
    SELECT x.exchange_id
    FROM exchange_record AS x
    INNER JOIN record AS r USING (record_id)
    WHERE $request IN (r.response_id, r.call_id, r.rid, r.room, r.router_request_id, r.trace_id, r.record_id)
)

SELECT
    e.*,
    v.* EXCLUDE (
        exchange_id, request_id, tenant, tenant_class, model, received_ns, finished_ns, reserved_ns, delivered, decode_worker,
        dp_rank, prompt_tokens, prefill_worker
    )
FROM exchange AS e
INNER JOIN report_row AS v USING (exchange_id)
WHERE e.exchange_id IN (SELECT exchange_id FROM hit)
ORDER BY e.request_id IS DISTINCT FROM $request, e.received_ns NULLS LAST, e.exchange_id
