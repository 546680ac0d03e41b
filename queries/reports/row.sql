-- question: What is the verdict on each exchange, and does it count in the headline?
-- grain: one row per exchange, ordered by received_at, request_id, exchange_id
-- inputs: verdict, exchange; $window_start_ns and $window_end_ns (NULL where the case declares none)
-- columns: the exported ones first; headline says whether the exchange's class is counted in the headline, counted
--   whether the row is one of its affected responses, outside_window whether it lies outside the declared window
-- assumptions: every export, count, letter and list of a report is drawn from this one table
SELECT
    v.request_id,
    v.tenant,
    v.tenant_class,
    v.model,
    v.received_at,
    v.integrity,
    v.integrity_reason,
    v.disclosure,
    v.disclosure_reason,
    v.basis,
    v.mechanism,
    v.decode_worker,
    v.dp_rank,
    v.source_request_id,
    v.source_tenant,
    v.source_exchange_id,
    v.examined,
    v.sources,
    v.delivered,
    v.over_pool,
    v.bits_milli,
    v.grounds,
    v.scope,
    v.exchange_id,
    v.tenant_class IN ('customer', 'unresolved') AS headline,
    v.tenant_class IN ('customer', 'unresolved') AND v.integrity = 'affected' AS counted,
    coalesce(e.received_ns < $window_start_ns, false) OR coalesce(e.received_ns > $window_end_ns, false) AS outside_window,
    e.received_ns,
    e.finished_ns,
    e.reserved_ns,
    e.prompt_tokens,
    e.prefill_worker
FROM verdict AS v
LEFT JOIN exchange AS e USING (exchange_id)
ORDER BY v.received_at NULLS LAST, v.request_id, v.exchange_id
