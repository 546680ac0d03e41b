-- question: What is known of each exchange: who, when, how large, where it lived, and whether the client got anything?
-- grain: one row per exchange: a client-side exchange with its engine request if joined, or an engine request that no
--   client-side record is left for
-- inputs: client_request, served, pairing, engine_request, clock, clock_margin, worker, worker_epoch, tenant_declared,
--   tenant_alias, backend_declared, router_request, prefill_host
-- assumptions: engine times are corrected by the worker's clock. A prefill request whose decode half is missing is an
--   exchange of its own only if no unplaced exchange of a client can be it and no other request claims its room. An
--   engine's request that a call waited for while another of the same size and model answered that call is an earlier
--   attempt of it: nobody got its answer, if the clocks leave no doubt of their order. Delivered means that the client got at
--   least one byte of generated content: its own record says so, or, where there is none, the engine finished normally.
WITH joined AS (
    SELECT c.client_id, p.served_id, p.via AS pair_via, p.inferred AS pair_inferred
    FROM client_request AS c
    LEFT JOIN pairing AS p ON p.client_id = c.client_id
    UNION ALL
    SELECT NULL, s.served_id, 'engine record alone', false
    FROM served AS s
    WHERE
        s.served_id NOT IN (SELECT served_id FROM pairing)
        AND (s.decode_id IS NOT NULL OR (NOT s.room_ambiguous AND NOT EXISTS (
            SELECT 1 FROM client_request AS c
            WHERE
                c.client_id NOT IN (SELECT client_id FROM pairing)
                AND NOT c.seen_in_vllm
                AND s.received_ns BETWEEN c.received_ns - 10000000000 AND coalesce(c.finished_ns, c.received_ns) + 10000000000
        )))
),

facts AS (
    SELECT
        j.client_id, j.served_id, j.pair_via, j.pair_inferred,
        c.response_id, c.call_id, c.tenant AS raw_tenant, c.tenant_rule,
        coalesce(c.model, mp.client_model, mn.name, s.model) AS model,
        coalesce(c.received_ns, s.received_ns - coalesce(k.skew_ns, 0)) AS received_ns,
        c.finished_ns AS client_finished_ns,
        coalesce(c.first_token_ns, d.first_token_ns - coalesce(k.skew_ns, 0)) AS first_token_ns,
        coalesce(c.finished_ns, s.finished_ns - coalesce(k.skew_ns, 0)) AS finished_ns,
        c.outcome AS client_outcome, c.http_status, c.streamed, c.response_chars AS client_response_chars,
        c.completion_tokens AS client_completion_tokens,
        c.gateway_records, c.exchange_id AS client_exchange_id, c.error_text, c.seen_in_vllm, c.id_repeated, c.router_request_id,
        c.prompt_tokens AS client_tokens,
        s.room, s.decode_id, s.prefill_id, s.room_ambiguous,
        d.rid AS decode_rid, p.rid AS prefill_rid, d.worker AS decode_worker_log, p.worker AS prefill_worker_log,
        d.dp_rank AS decode_rank, d.role AS decode_role, d.engine AS decode_engine,
        d.received_ns - coalesce(k.skew_ns, 0) AS decode_received_ns,
        CASE WHEN d.has_finished THEN d.finished_ns - coalesce(k.skew_ns, 0) END AS decode_finished_ns,
        coalesce(d.has_finished, false) AS decode_finished,
        coalesce(d.aborted OR d.failed, false) AS decode_aborted,
        coalesce(d.completion_tokens, 0) AS decode_completion_tokens,
        -- of what it refused, a decode worker counts the stub it put in its place
        CASE WHEN d.rejected THEN coalesce(d.reject_tokens, d.prompt_tokens) ELSE d.prompt_tokens END AS decode_tokens,
        d.bootstrap_host, d.bootstrap_port,
        coalesce(d.rejected OR d.gated, false) AS decode_refused,
        p.prompt_tokens AS prefill_tokens,
        coalesce(p.rejected, false) AS prefill_rejected, p.reject_tokens,
        coalesce(p.gated, false) AS prefill_gated,
        -- at the latest: a stamp of whole seconds may be a second early
        CASE
            WHEN p.has_finished THEN p.finished_ns + if(p.finished_ns % 1000000000 = 0, 999999999, 0) - coalesce(kp.skew_ns, 0)
        END AS prefill_finished_ns,
        p.transfer_failed_ns + if(p.transfer_failed_ns % 1000000000 = 0, 999999999, 0) - coalesce(kp.skew_ns, 0)
            AS transfer_failed_ns,
        coalesce(d.transfer_failed OR p.transfer_failed, false) AS transfer_failed,
        -- a stamp of whole seconds may be a second early
        CASE WHEN d.engine_id IS NOT NULL THEN coalesce(m.margin_ns, 0) + if(d.received_ns % 1000000000 = 0, 999999999, 0) ELSE 0 END
            AS clock_margin_ns,
        CASE WHEN p.engine_id IS NOT NULL THEN coalesce(ma.margin_ns, 0) ELSE 0 END AS prefill_margin_ns
    FROM joined AS j
    LEFT JOIN client_request AS c ON c.client_id = j.client_id
    LEFT JOIN served AS s ON s.served_id = j.served_id
    LEFT JOIN engine_request AS d ON d.engine_id = s.decode_id
    LEFT JOIN engine_request AS p ON p.engine_id = s.prefill_id
    LEFT JOIN clock AS k ON k.worker = s.clock_worker
    LEFT JOIN clock AS kp ON kp.worker = p.worker
    LEFT JOIN clock_margin AS m ON m.worker = d.worker
    LEFT JOIN clock_margin AS ma ON ma.worker = p.worker
    LEFT JOIN model_pair AS mp ON mp.engine_model = s.model
    LEFT JOIN model_name AS mn ON mn.alias = s.model
),

placed AS (
    SELECT
        f.*,
        CASE WHEN f.decode_role IS DISTINCT FROM 'unified' THEN coalesce(f.decode_worker_log, r.decode_worker) END AS decode_worker,
        coalesce(f.prefill_worker_log, r.prefill_worker, wb.worker) AS prefill_worker,
        CASE
            WHEN f.decode_worker_log IS NOT NULL THEN 'the worker''s own log'
            WHEN r.decode_worker IS NOT NULL THEN 'the router''s log'
        END AS placement_how
    FROM facts AS f
    LEFT JOIN router_request AS r ON r.router_request_id = f.router_request_id
    LEFT JOIN prefill_host AS wb ON wb.host = f.bootstrap_host
),

attempt AS (
    SELECT DISTINCT a.served_id
    FROM placed AS a
    INNER JOIN placed AS c
        ON
            c.client_id IS NOT NULL AND c.decode_id IS NOT NULL AND c.decode_tokens = a.decode_tokens
            AND c.model IS NOT DISTINCT FROM a.model
            AND a.decode_received_ns >= c.received_ns
            AND a.decode_received_ns + a.clock_margin_ns + c.clock_margin_ns < c.decode_received_ns
    WHERE a.client_id IS NULL AND a.decode_id IS NOT NULL
),

told AS (
    SELECT
        p.*,
        a.served_id IS NOT NULL AS earlier_attempt,
        CASE
            WHEN a.served_id IS NOT NULL THEN 'no'
            WHEN p.client_id IS NULL OR p.client_outcome IS NULL THEN
                CASE
                    WHEN p.decode_finished AND NOT p.decode_aborted AND p.decode_completion_tokens > 0 THEN 'yes'
                    WHEN p.decode_refused THEN 'no'
                    ELSE 'unknown'
                END
            WHEN p.client_outcome = 'ok' THEN 'yes'
            WHEN coalesce(p.client_response_chars, 0) > 0 THEN 'yes'
            WHEN p.client_outcome = 'aborted' AND coalesce(p.client_completion_tokens, 0) > 0 THEN 'yes'
            -- a stream that broke: what it brought until then only decode's record could exclude
            WHEN coalesce(p.streamed, false) AND p.client_outcome = 'error' AND coalesce(p.http_status, 0) < 400
                AND (p.decode_completion_tokens > 0 OR (p.decode_id IS NULL AND p.prefill_id IS NOT NULL)) THEN 'unknown'
            ELSE 'no'
        END AS delivered
    FROM placed AS p
    LEFT JOIN attempt AS a ON a.served_id = p.served_id
)

SELECT
    coalesce(t.client_exchange_id, (
        SELECT min(e.record_id) FROM engine_record AS e
        INNER JOIN engine_request AS q
            ON
                q.rid = e.rid AND q.worker IS NOT DISTINCT FROM e.worker
                AND coalesce(e.room, q.room) IS NOT DISTINCT FROM q.room
        WHERE q.engine_id = coalesce(t.decode_id, t.prefill_id)
    )) AS exchange_id,
    coalesce(t.response_id, t.call_id, t.decode_rid, t.prefill_rid, t.client_id) AS request_id,
    coalesce(
        t.raw_tenant, ta.tenant,
        'unresolved ' || substr(sha256(coalesce(t.response_id, t.call_id, t.decode_rid, t.prefill_rid, t.client_id)), 1, 8)
    ) AS tenant,
    CASE WHEN coalesce(t.raw_tenant, ta.tenant) IS NULL THEN 'unresolved' ELSE coalesce(k.class, 'customer') END AS tenant_class,
    coalesce(t.tenant_rule, CASE WHEN ta.tenant IS NOT NULL THEN 'declared alias' END) AS tenant_rule, t.model, t.received_ns, t.first_token_ns, t.finished_ns,
    t.delivered,
    CASE
        WHEN t.earlier_attempt THEN 'an earlier attempt of a call that another attempt answered'
        WHEN t.client_id IS NULL THEN 'no record of the client or gateway; judged by the engine''s'
        WHEN t.client_outcome = 'ok' THEN 'the client''s side records a success'
        WHEN t.delivered = 'yes' THEN 'the client''s side records a broken response with content'
        ELSE 'the client''s side records ' || coalesce('status ' || t.http_status, 'an error') || ' and no content'
    END AS delivered_why,
    t.http_status, t.streamed,
    coalesce(t.decode_tokens, t.client_tokens) AS prompt_tokens,
    CASE WHEN t.decode_tokens IS NOT NULL THEN 'engine' WHEN t.client_tokens IS NOT NULL THEN 'gateway' END AS tokens_by,
    greatest(t.decode_completion_tokens, coalesce(t.client_completion_tokens, 0)) AS completion_tokens,
    t.room, t.decode_rid, t.prefill_rid, t.decode_worker,
    CASE WHEN t.decode_worker IS NOT NULL THEN coalesce(t.decode_rank, CASE WHEN w.highest_rank = 0 THEN 0 END) END AS dp_rank,
    t.prefill_worker, t.placement_how, t.pair_via, coalesce(t.pair_inferred, false) AS pair_inferred,
    CASE
        WHEN b.disaggregated IS NOT NULL THEN if(b.disaggregated, 'disaggregated', 'not_disaggregated')
        WHEN t.seen_in_vllm OR t.decode_role = 'unified' THEN 'not_disaggregated'
        WHEN t.served_id IS NOT NULL OR t.decode_worker IS NOT NULL THEN 'disaggregated'
        ELSE 'unknown'
    END AS backend,
    coalesce(b.why, CASE WHEN t.seen_in_vllm THEN 'seen in a vLLM log without a KV transfer' END) AS backend_why,
    t.decode_received_ns AS reserved_ns,
    coalesce(t.decode_finished_ns, CASE WHEN t.decode_worker IS NOT NULL THEN t.client_finished_ns END) AS released_ns,
    e.start_ns - coalesce(ke.skew_ns, 0) AS epoch_ns,
    t.prefill_tokens, t.decode_tokens, t.client_tokens, t.prefill_rejected, t.reject_tokens, t.prefill_gated, t.decode_refused,
    t.decode_finished, t.decode_aborted, t.decode_completion_tokens, t.prefill_finished_ns, t.transfer_failed,
    t.transfer_failed_ns, t.client_outcome, t.client_finished_ns, t.client_id, t.served_id, t.decode_id, t.prefill_id,
    coalesce(t.gateway_records, 0) AS gateway_records, t.error_text, coalesce(t.id_repeated, false) AS id_repeated,
    coalesce(t.room_ambiguous, false) AS room_ambiguous, t.clock_margin_ns, t.prefill_margin_ns, t.earlier_attempt, t.bootstrap_host
FROM told AS t
LEFT JOIN worker AS w ON w.worker = t.decode_worker
LEFT JOIN (SELECT alias, min(tenant) AS tenant FROM tenant_alias GROUP BY alias) AS ta
    ON
        t.raw_tenant IS NULL
        AND ta.alias = 'unresolved ' || substr(sha256(coalesce(t.response_id, t.call_id, t.decode_rid, t.prefill_rid, t.client_id)), 1, 8)
LEFT JOIN tenant_declared AS k ON k.tenant = coalesce(t.raw_tenant, ta.tenant)
LEFT JOIN backend_declared AS b ON b.model = t.model
LEFT JOIN clock AS ke ON ke.worker = t.decode_worker
LEFT JOIN worker_epoch AS e
    ON
        e.worker = t.decode_worker
        -- starts are told by the worker's own clock
        AND coalesce(t.decode_received_ns, t.received_ns) + coalesce(ke.skew_ns, 0) >= coalesce(e.start_ns, -1)
        AND coalesce(t.decode_received_ns, t.received_ns) + coalesce(ke.skew_ns, 0) < e.end_ns
ORDER BY received_ns, request_id, exchange_id
