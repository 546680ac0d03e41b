-- question: Which records make up an exchange, where do they stand, and how were they joined?
-- grain: one row per record
-- inputs: exchange_record, record, file; $exchange
SELECT
    f.path,
    r.line,
    r.byte_offset,
    r.item,
    r.kind,
    r.phase,
    r.format,
    r.at_ns,
    x.via,
    x.inferred,
    r.response_id,
    r.call_id,
    r.rid,
    r.room,
    r.router_request_id,
    r.trace_id,
    r.prompt_tokens,
    r.completion_tokens,
    r.http_status,
    r.outcome,
    r.finish_type,
    r.prompt_state,
    r.response_state
FROM exchange_record AS x
INNER JOIN record AS r USING (record_id)
INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
WHERE x.exchange_id = $exchange
ORDER BY coalesce(r.at_ns, r.received_ns) NULLS LAST, f.path, r.byte_offset, r.item
