-- question: what does each raw record of this batch say, in the columns of `record`?
-- grain: one row per raw record, rejected ones included (reject_reason)
-- inputs: raw (line, byte_offset, item, raw, length), told (one row per record, with prompt_parts and response_parts)
-- assumptions: a raw record that the format's query leaves out is rejected as not_this_format. A rendered prompt (chat template
--   applied) has no messages and no hash; nor has one that is not complete
WITH states AS (
    SELECT *,
           list_bool_or(list_transform(prompt_parts, LAMBDA one: one.fragment <> 'whole')) AS prompt_cut,
           list_bool_or(list_transform(response_parts, LAMBDA one: one.fragment <> 'whole')) AS response_cut,
           list_bool_or(list_transform(prompt_parts, LAMBDA one: one.text = 'redacted-by-litellm')) AS prompt_redacted,
           list_bool_or(list_transform(response_parts, LAMBDA one: one.text = 'redacted-by-litellm')) AS response_redacted,
           list_sum(list_transform(
               list_filter(prompt_parts, LAMBDA one: one.text <> 'redacted-by-litellm'), LAMBDA one: length(one.text)
           )) AS prompt_length,
           list_sum(list_transform(
               list_filter(response_parts, LAMBDA one: one.text <> 'redacted-by-litellm'), LAMBDA one: length(one.text)
           )) AS response_length
    FROM told
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
    CASE
        WHEN prompt_state = 'encrypted' THEN 'encrypted'
        WHEN prompt_redacted THEN 'redacted'
        WHEN prompt_cut THEN 'truncated'
        WHEN prompt_state IS NOT NULL THEN prompt_state
        WHEN len(prompt_parts) > 0 OR json_array_length(prompt_messages) > 0 THEN 'complete'
        ELSE 'absent'
    END AS prompt_state,
    CASE
        WHEN response_state = 'encrypted' THEN 'encrypted'
        WHEN response_redacted THEN 'redacted'
        WHEN response_cut THEN 'truncated'
        WHEN response_state IS NOT NULL THEN response_state
        WHEN response_text IS NOT NULL OR json_array_length(response_messages) > 0 THEN 'complete'
        ELSE 'absent'
    END AS response_state,
    CASE
        WHEN NOT coalesce(prompt_cut OR prompt_redacted, FALSE) AND prompt_state IS NULL THEN prompt_hash_of(prompt_parts)
    END AS prompt_hash,
    cast(prompt_length AS BIGINT) AS prompt_chars,
    cast(coalesce(
        response_length, CASE WHEN response_text IS NOT NULL OR json_array_length(response_messages) > 0 THEN 0 END
    ) AS BIGINT) AS response_chars,
    cast(identity AS VARCHAR) AS identity, cast(detail AS VARCHAR) AS detail, md5(raw.raw) AS raw_md5,
    CASE WHEN states.byte_offset IS NULL THEN 'not_this_format' ELSE reject_reason END AS reject_reason, raw.length,
    substr(raw.raw, 1, 240) AS excerpt
FROM raw
LEFT JOIN states ON raw.byte_offset = states.byte_offset AND raw.item = states.item
ORDER BY raw.byte_offset, raw.item
