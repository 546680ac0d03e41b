-- question: Which responses that this run judged are affected, and how is each known again?
-- grain: one row per affected response
-- inputs: verdict, exchange, current_exchange, exchange_record, record, file
-- assumptions: first_record is the client's own record where there is one; it leads back to file and byte.
WITH place AS (
    SELECT
        er.exchange_id, f.path, r.line, r.byte_offset, er.record_id,
        row_number() OVER (
            PARTITION BY er.exchange_id ORDER BY er.inferred, r.kind != 'client', f.path, r.byte_offset, r.item
        ) AS place
    FROM exchange_record AS er
    INNER JOIN record AS r ON r.record_id = er.record_id
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
)

SELECT
    v.exchange_id, v.request_id, v.tenant, v.tenant_class, v.model, v.received_at, v.received_ns,
    v.mechanism, v.integrity_reason, v.disclosure, v.disclosure_reason, v.basis, v.grounds,
    v.source_tenant, v.source_request_id, v.source_exchange_id, v.bits_milli, v.over_pool, v.delivered,
    v.prompt_tokens, v.completion_tokens,
    x.decode_worker, x.dp_rank, x.decode_rid, x.room,
    p.path, p.line, p.byte_offset, p.record_id
FROM verdict AS v
INNER JOIN current_exchange AS c ON c.exchange_id = v.exchange_id
INNER JOIN exchange AS x ON x.exchange_id = v.exchange_id
LEFT JOIN place AS p ON p.exchange_id = v.exchange_id AND p.place = 1
WHERE v.integrity = 'affected'
ORDER BY v.received_ns, v.request_id, v.exchange_id
