-- question: what does each StandardLoggingPayload of the LiteLLM proxy say?
-- grain: one row per payload: one call as the gateway saw it
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- detect: "litellm_call_id": ?"[\s\S]*"call_type": ?"|"call_type": ?"[\s\S]*"litellm_call_id": ?"
-- evidence: JSON objects with litellm_call_id and call_type
-- assumptions: `id` is the upstream's response id on success (SGLang: the decode rid), but LiteLLM's own call id on failure, so
--   there it is no response id. On a cache hit `id` has a suffix and stays the id of this replay; the replayed response's id is
--   in detail. An empty api_base or a true cache_hit means that no engine was called. Error 499 (client disconnected)
--   stands on records of status success: the answer so far was delivered, then the client left. startTime, endTime are
--   epoch seconds. The identity keeps headers and metadata, without bodies and credentials. Shapes:
--   litellm/types/utils.py (formats.md C1)
-- false positives: an error text may quote the rid of a decode worker (detail.error_rid); it is what the upstream wrote
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
),
named AS (
    SELECT byte_offset, item, r, r -> 'response' AS response, r -> 'metadata' AS metadata, r -> 'error_information' AS error,
           coalesce(r ->> 'error_str', nullif(r ->> '$.error_information.error_message', '')) AS error_text,
           (r ->> 'status') = 'success' AS succeeded,
           coalesce(try_cast(r ->> 'cache_hit' AS BOOLEAN), FALSE) AS replayed,
           epoch_ns_of(r ->> 'startTime') AS received_ns, epoch_ns_of(r ->> 'endTime') AS finished_ns
    FROM given
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    received_ns AS at_ns, received_ns,
    CASE WHEN succeeded THEN epoch_ns_of(r ->> 'completionStartTime') END AS first_token_ns,
    finished_ns,
    CASE WHEN succeeded THEN CASE WHEN replayed THEN r ->> 'id' ELSE coalesce(response ->> 'id', r ->> 'id') END END AS response_id,
    r ->> 'litellm_call_id' AS call_id,
    coalesce(
        r ->> '$.hidden_params.additional_headers."llm_provider-x-request-id"', error ->> 'error_provider_request_id'
    ) AS router_request_id,
    r ->> 'trace_id' AS trace_id,
    coalesce(nullif(r ->> 'model_group', ''), r ->> 'model') AS model,
    'litellm' AS engine,
    CASE WHEN succeeded THEN try_cast(r ->> 'prompt_tokens' AS BIGINT) END AS prompt_tokens,
    try_cast(r ->> '$.metadata.usage_object.prompt_tokens_details.cached_tokens' AS BIGINT) AS cached_tokens,
    CASE WHEN succeeded THEN try_cast(r ->> 'completion_tokens' AS BIGINT) END AS completion_tokens,
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
    response ->> '$.choices[0].finish_reason' AS finish_type,
    error_text,
    coalesce(try_cast(r ->> 'stream' AS BOOLEAN), try_cast(r ->> '$.model_parameters.stream' AS BOOLEAN)) AS streamed,
    try_cast(nullif(regexp_extract(error_text, 'The input \((\d+) tokens\) is longer than', 1), '') AS BIGINT) AS input_tokens,
    try_cast(nullif(regexp_extract(error_text, 'context length \((\d+) tokens\)', 1), '') AS BIGINT) AS allowed_tokens,
    CASE
        WHEN json_type(response) = 'VARCHAR' OR json_array_length(response -> 'choices') > 0 THEN NULL
        ELSE 'absent'
    END AS response_state,
    json_object(
        'metadata', json_merge_patch(
            metadata,
            '{"usage_object": null, "requester_metadata": {"headers": {"authorization": null, "cookie": null, "x-api-key": null,
              "api-key": null, "x-litellm-api-key": null}, "messages": null, "body": null}}'
        ),
        'end_user', r -> 'end_user', 'model_group', r -> 'model_group', 'session_id', r -> 'session_id',
        'request_tags', r -> 'request_tags', 'requester_ip_address', r -> 'requester_ip_address', 'user_agent', r -> 'user_agent',
        'user', r -> '$.model_parameters.user', 'body_metadata', r -> '$.model_parameters.metadata'
    ) AS identity,
    json_object(
        'status', r ->> 'status', 'call_type', r ->> 'call_type', 'cache_hit', r -> 'cache_hit',
        'engine_called', NOT replayed AND coalesce(r ->> 'api_base', '') <> '', 'api_base', r ->> 'api_base',
        'upstream_model', r ->> 'model', 'provider', r ->> 'custom_llm_provider', 'error_class', nullif(error ->> 'error_class', ''),
        'replayed_response_id', CASE WHEN replayed THEN response ->> 'id' END,
        'error_rid', coalesce(
            nullif(regexp_extract(error_text, 'req\.rid=''([^'']+)''', 1), ''),
            nullif(regexp_extract(error_text, 'Request (\S+) exceeds the maximum number of tokens', 1), '')
        ),
        'error_room', nullif(regexp_extract(error_text, 'bootstrap_room=(\d+)', 1), '')
    ) AS detail,
    CASE WHEN json_type(r -> 'messages') = 'ARRAY' THEN r -> 'messages' END AS prompt_messages,
    coalesce(text_of(r -> 'messages'), text_of(r -> '$.messages.prompt')) AS prompt_text,
    CASE
        WHEN (response -> '$.choices[0].message') IS NOT NULL THEN cast(json_extract(response, '$.choices[*].message') AS JSON)
    END AS response_messages,
    coalesce(text_of(response), text_of(response -> '$.choices[0].text')) AS response_text,
    CASE WHEN (r ->> 'litellm_call_id') IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
