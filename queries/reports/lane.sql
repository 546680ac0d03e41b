-- question: Which exchanges on each decode worker and rank were over-pool or late-written?
-- grain: one row per suspect exchange and mechanism
-- inputs: report_row, suspicion, candidate
SELECT
    r.decode_worker,
    r.dp_rank,
    r.exchange_id,
    r.request_id,
    r.tenant,
    r.tenant_class,
    r.received_at,
    r.received_ns,
    r.finished_ns,
    r.reserved_ns,
    s.mechanism,
    s.status,
    s.reason,
    s.detail,
    s.outcome,
    r.prompt_tokens,
    r.integrity,
    r.integrity_reason,
    r.disclosure,
    r.source_tenant,
    r.source_request_id,
    (
        SELECT count(*) FROM candidate AS c
        WHERE c.exchange_id = s.exchange_id AND c.mechanism = s.mechanism
    ) AS candidates
FROM suspicion AS s
INNER JOIN report_row AS r USING (exchange_id)
WHERE s.status IN ('established', 'possible') OR s.outcome IS NOT NULL
ORDER BY
    r.decode_worker NULLS LAST, r.dp_rank NULLS LAST, r.received_at NULLS LAST, r.request_id, r.exchange_id, s.mechanism
