-- question: what does each raw record of this batch say, in the columns of `record`?
-- grain: one row per raw record, rejected ones included (reject_reason)
-- inputs: raw (line, byte_offset, item, raw, length), canonical, projected (what the format's query gave), side (what each
--   side of a record holds)
-- assumptions: a raw record that the format's query leaves out is rejected as not_this_format
WITH given AS (
    SELECT * FROM canonical
    UNION ALL BY NAME
    SELECT * FROM projected
)
SELECT
    raw.line, raw.byte_offset, raw.item, kind, phase, at_ns, coalesce(at_is_local, FALSE) AS at_is_local, latency_ns,
    received_ns, first_token_ns, finished_ns,
    id_of(response_id) AS response_id, id_of(call_id) AS call_id, id_of(rid) AS rid, id_of(room) AS room,
    id_of(router_request_id) AS router_request_id, id_of(trace_id) AS trace_id,
    role, dp_rank, tp_rank, worker_address, bootstrap_host,
    try_cast(bootstrap_port AS INTEGER) AS bootstrap_port, model, engine, engine_version,
    prompt_tokens, cached_tokens, completion_tokens, http_status, outcome, finish_type, finish_length, error_text, streamed,
    pool_tokens, context_tokens, allowed_tokens, input_tokens, page_size, auto_truncate, disaggregation,
    prompt.state AS prompt_state, response.state AS response_state, prompt.hash AS prompt_hash,
    prompt.chars AS prompt_chars, response.chars AS response_chars,
    cast(identity AS VARCHAR) AS identity, cast(detail AS VARCHAR) AS detail, md5(raw.raw) AS raw_md5,
    CASE WHEN given.byte_offset IS NULL THEN 'not_this_format' ELSE given.reject_reason END AS reject_reason,
    raw.length, substr(raw.raw, 1, 240) AS excerpt
FROM raw
LEFT JOIN given ON raw.byte_offset = given.byte_offset AND raw.item = given.item
LEFT JOIN side AS prompt ON given.byte_offset = prompt.byte_offset AND given.item = prompt.item AND prompt.side = 'prompt'
LEFT JOIN side AS response ON given.byte_offset = response.byte_offset AND given.item = response.item AND response.side = 'response'
ORDER BY raw.byte_offset, raw.item
