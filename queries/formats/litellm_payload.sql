-- question: what does each StandardLoggingPayload of the LiteLLM proxy say?
-- grain: one row per payload: one call as the gateway saw it
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- keys: id, litellm_call_id, call_type, !request_id | id, call_type, custom_llm_provider, startTime, !request_id
--   | id, call_type, hidden_params, startTime, !request_id
-- evidence: StandardLoggingPayload objects (id, call_type, startTime)
-- where from: LiteLLM's loggers to S3 (one document per call), GCS (no file extension; batches as .ndjson), Datadog or any
--   HTTP endpoint
-- assumptions: `id` is the upstream's response id on success (SGLang: the decode rid), but LiteLLM's own call id on failure, so
--   there it is no response id. On a cache hit `id` has a suffix and stays the id of this replay; the replayed response's id is
--   in detail. An empty api_base or a true cache_hit means that no engine was called. Error 499 (client disconnected)
--   stands on records of status success: the answer so far was delivered, then the client left. startTime, endTime are
--   epoch seconds. The identity keeps headers and metadata, without bodies and credentials. Shapes:
--   litellm/types/utils.py (formats.md C1)
-- cannot say: router, worker, room; texts where turn_off_message_logging was on (redacted-by-litellm: redacted)
-- traps: rows may be missing for calls that said no-log. Times may be epoch seconds or naive UTC text. cached_tokens of
--   streamed calls are dropped (litellm 36882)
-- false positives: an error text may quote the rid of a decode worker (detail.error_rid); it is what the upstream wrote
WITH taken AS MATERIALIZED (
    -- One pass over the JSON for what is text, one for what stays JSON: each extraction by itself would read all of it again.
    SELECT
        byte_offset, item,
        json_extract_string(raw, [
            '$.id', '$.litellm_call_id', '$.trace_id', '$.call_type', '$.stream', '$.status', '$.custom_llm_provider', '$.model',
            '$.model_group', '$.api_base', '$.cache_hit', '$.startTime', '$.endTime', '$.completionStartTime', '$.prompt_tokens',
            '$.completion_tokens', '$.error_str', '$.model_parameters.stream',
            '$.hidden_params.additional_headers."llm_provider-x-request-id"', '$.cache_key', '$.hidden_params.cache_key'
        ]) AS t,
        json_extract(raw, [
            '$.cache_hit', '$.end_user', '$.session_id', '$.request_tags', '$.requester_ip_address', '$.user_agent',
            '$.metadata', '$.error_information', '$.messages', '$.response', '$.model_parameters.user',
            '$.model_parameters.metadata'
        ]) AS f
    FROM raw
),
named AS MATERIALIZED (
    SELECT
        byte_offset, item, t[1] AS id, t[2] AS litellm_call_id, t[3] AS trace_id, t[4] AS call_type, t[5] AS stream,
        t[6] AS status, t[7] AS provider, t[8] AS upstream_model, t[9] AS model_group, t[10] AS api_base, f[1] AS cache_hit,
        epoch_ns_of(t[12]) AS received_ns, epoch_ns_of(t[13]) AS finished_ns, epoch_ns_of(t[14]) AS completion_start_ns,
        t[15] AS prompt_tokens, t[16] AS completion_tokens, f[2] AS end_user, f[3] AS session_id, f[4] AS request_tags,
        f[5] AS requester_ip_address, f[6] AS user_agent, f[7] AS metadata, f[8] AS error,
        coalesce(t[17], nullif(f[8] ->> 'error_message', '')) AS error_text, f[9] AS messages, f[10] AS response,
        f[10] -> 'choices' AS choices, f[11] AS body_user, f[12] AS body_metadata, t[18] AS body_stream,
        t[19] AS upstream_request_id, coalesce(t[20], t[21]) AS cache_key, t[6] = 'success' AS succeeded,
        coalesce(try_cast(t[11] AS BOOLEAN), FALSE) AS replayed
    FROM taken
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    received_ns AS at_ns, received_ns,
    CASE WHEN succeeded THEN completion_start_ns END AS first_token_ns,
    finished_ns,
    CASE WHEN succeeded THEN CASE WHEN replayed THEN id ELSE coalesce(response ->> 'id', id) END END AS response_id,
    litellm_call_id AS call_id,
    coalesce(upstream_request_id, error ->> 'error_provider_request_id') AS router_request_id,
    trace_id,
    coalesce(nullif(model_group, ''), upstream_model) AS model,
    'litellm' AS engine,
    CASE WHEN succeeded THEN try_cast(prompt_tokens AS BIGINT) END AS prompt_tokens,
    try_cast(metadata ->> '$.usage_object.prompt_tokens_details.cached_tokens' AS BIGINT) AS cached_tokens,
    CASE WHEN succeeded THEN try_cast(completion_tokens AS BIGINT) END AS completion_tokens,
    coalesce(
        try_cast(error ->> 'error_code' AS INTEGER),
        try_cast(regexp_extract(error ->> 'normalized_error', '^(\d{3})', 1) AS INTEGER),
        CASE WHEN succeeded THEN 200 END
    ) AS http_status,
    CASE
        WHEN (error ->> 'error_class') = 'ClientDisconnected' OR error_text LIKE 'Client disconnected the request%' THEN 'aborted'
        WHEN succeeded THEN 'ok'
        ELSE 'error'
    END AS outcome,
    choices ->> '$[0].finish_reason' AS finish_type,
    error_text,
    coalesce(try_cast(stream AS BOOLEAN), try_cast(body_stream AS BOOLEAN)) AS streamed,
    try_cast(
        nullif(regexp_extract(error_text, '(?:The input|Input length) \((\d+) tokens\) (?:is longer than|exceeds)', 1), '') AS BIGINT
    ) AS input_tokens,
    try_cast(nullif(regexp_extract(error_text, 'context length \((\d+) tokens\)', 1), '') AS BIGINT) AS allowed_tokens,
    CASE WHEN json_type(response) = 'VARCHAR' OR json_array_length(choices) > 0 THEN NULL ELSE 'absent' END AS response_state,
    json_object(
        'metadata', json_merge_patch(
            metadata,
            '{"usage_object": null, "requester_metadata": {"headers": {"authorization": null, "cookie": null, "x-api-key": null,
              "api-key": null, "x-litellm-api-key": null}, "messages": null, "body": null}}'
        ),
        'end_user', end_user, 'model_group', model_group, 'session_id', session_id, 'request_tags', request_tags,
        'requester_ip_address', requester_ip_address, 'user_agent', user_agent, 'user', body_user, 'body_metadata', body_metadata
    ) AS identity,
    json_object(
        'status', status, 'call_type', call_type, 'cache_hit', cache_hit, 'cache_key', cache_key,
        'engine_called', NOT replayed AND coalesce(api_base, '') <> '', 'api_base', api_base,
        'upstream_model', upstream_model, 'provider', provider, 'error_class', nullif(error ->> 'error_class', ''),
        'replayed_response_id', CASE WHEN replayed THEN response ->> 'id' END,
        'error_rid', coalesce(
            nullif(regexp_extract(error_text, 'req\.rid=''([^'']+)''', 1), ''),
            nullif(regexp_extract(error_text, 'Request (\S+) exceeds the maximum number of tokens', 1), '')
        ),
        'error_room', nullif(regexp_extract(error_text, 'bootstrap_room=(\d+)', 1), '')
    ) AS detail,
    -- An extracted value begins with the sign of its type; json_type would read all of it again.
    CASE WHEN starts_with(messages, '[') THEN messages END AS prompt_messages,
    CASE
        WHEN starts_with(messages, '"') THEN messages ->> '$'
        WHEN starts_with(messages, '{') THEN text_of(messages -> 'prompt')
    END
        AS prompt_text,
    CASE
        WHEN (choices -> '$[0].message') IS NOT NULL THEN cast(json_extract(choices, '$[*].message') AS JSON)
    END AS response_messages,
    coalesce(text_of(response), text_of(choices -> '$[0].text')) AS response_text,
    CASE WHEN call_type IS NULL OR id IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
