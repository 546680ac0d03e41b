-- question: what does each row of LiteLLM's spend table say?
-- grain: one row per row of LiteLLM_SpendLogs: one call as the gateway saw it
-- inputs: raw (line, byte_offset, item, raw): JSON objects, of a CSV all values text
-- keys: request_id, call_type, api_key, startTime, !id
-- detect: ^(?:COPY|CREATE TABLE) (?:\w+\.)?"LiteLLM_SpendLogs"
-- evidence: LiteLLM_SpendLogs columns
-- where from: the LiteLLM proxy's Postgres: a plain pg_dump, a CSV (COPY or psql), Parquet or JSON export, or
--   `forensics snapshot` of the live server
-- assumptions: request_id is the upstream's response id on success, on failure an id of LiteLLM's own. Times are UTC. JSON columns may
--   be JSON, or JSON as text, once or twice. The prompt of chat calls stands in proxy_server_request, since messages stays {}
--   even with store_prompts_in_spend_logs (litellm PR 34748). The identity is laid out as litellm_payload has it, so the same
--   tenant rules work. Shapes: litellm/proxy/schema.prisma (formats.md C2)
-- cannot say: which router or worker answered; texts only where store_prompts_in_spend_logs was on, and then strings beyond 2,048
--   characters keep 35 % of them from the head and 65 % from the tail
-- traps: rows are lost where ids collide (litellm 6633, 39749), where a request says no-log, and where a character cannot be stored.
--   For /v1/messages request_id is not the id that the client saw (28562, 39511)
WITH taken AS MATERIALIZED (
    -- Bodies are long: taken out once, so that no other field reads them again.
    SELECT byte_offset, item, json_extract(raw, ['$.messages', '$.response', '$.proxy_server_request', '$.metadata']) AS bodies,
           json_merge_patch(raw, '{"messages": null, "response": null, "proxy_server_request": null, "metadata": null}') AS r
    FROM raw
),
parsed AS MATERIALIZED (
    SELECT byte_offset, item, r, json_of(bodies[1]) AS messages, json_of(bodies[2]) AS response, json_of(bodies[3]) AS request,
           json_of(bodies[4]) AS metadata
    FROM taken
),
named AS MATERIALIZED (
    SELECT byte_offset, item, r, metadata, response, coalesce(request -> 'body', request) AS asked,
           coalesce(nullif(r ->> 'status', ''), metadata ->> 'status', 'success') AS status,
           coalesce(lower(r ->> 'cache_hit') IN ('true', 't'), FALSE) AS replayed, metadata -> 'error_information' AS error,
           CASE WHEN json_array_length(messages) > 0 THEN messages ELSE asked_messages(coalesce(request -> 'body', request)) END
               AS prompt_messages,
           CASE
               WHEN coalesce(json_array_length(messages), 0) = 0
                   THEN coalesce(text_of(messages), asked_text(coalesce(request -> 'body', request)))
           END AS prompt_text,
           answer_messages(response) AS response_messages
    FROM parsed
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    epoch_ns_of(r ->> 'startTime') AS at_ns,
    epoch_ns_of(r ->> 'startTime') AS received_ns,
    CASE WHEN status <> 'failure' THEN epoch_ns_of(r ->> 'completionStartTime') END AS first_token_ns,
    epoch_ns_of(r ->> 'endTime') AS finished_ns,
    CASE WHEN status <> 'failure' THEN r ->> 'request_id' END AS response_id,
    coalesce(nullif(r ->> 'litellm_call_id', ''), CASE WHEN status = 'failure' THEN r ->> 'request_id' END) AS call_id,
    coalesce(nullif(r ->> 'model_group', ''), r ->> 'model') AS model,
    'litellm' AS engine,
    nullif(integer_of(r -> 'prompt_tokens'), 0) AS prompt_tokens,
    usage_cached(metadata -> 'usage_object') AS cached_tokens,
    CASE WHEN status <> 'failure' THEN integer_of(r -> 'completion_tokens') END AS completion_tokens,
    coalesce(try_cast(error ->> 'error_code' AS INTEGER), CASE WHEN status <> 'failure' THEN 200 END) AS http_status,
    CASE
        WHEN (error ->> 'error_class') = 'ClientDisconnected' THEN 'aborted'
        WHEN status = 'failure' THEN 'error'
        ELSE 'ok'
    END AS outcome,
    answer_finish(response) AS finish_type,
    nullif(error ->> 'error_message', '') AS error_text,
    try_cast(asked ->> 'stream' AS BOOLEAN) AS streamed,
    CASE WHEN prompt_messages IS NULL AND prompt_text IS NULL THEN 'absent' END AS prompt_state,
    CASE WHEN response_messages IS NULL AND answer_text(response) IS NULL THEN 'absent' END AS response_state,
    json_object(
        'metadata', json_merge_patch(
            metadata,
            json_object(
                'usage_object', NULL, 'model_map_information', NULL, 'additional_usage_values', NULL, 'error_information', NULL,
                'proxy_server_request', NULL, 'guardrail_information', NULL,
                'user_api_key', NULL,
                'user_api_key_hash', coalesce(nullif(r ->> 'api_key', ''), metadata ->> 'user_api_key'),
                'user_api_key_team_id', coalesce(nullif(r ->> 'team_id', ''), metadata ->> 'user_api_key_team_id'),
                'user_api_key_org_id', coalesce(nullif(r ->> 'organization_id', ''), metadata ->> 'user_api_key_org_id'),
                'user_api_key_user_id', coalesce(nullif(r ->> 'user', ''), metadata ->> 'user_api_key_user_id')
            )
        ),
        'end_user', nullif(r ->> 'end_user', ''), 'session_id', nullif(r ->> 'session_id', ''),
        'request_tags', json_of(r -> 'request_tags'), 'requester_ip_address', r -> 'requester_ip_address',
        'user', asked -> 'user', 'body_metadata', asked -> 'metadata'
    ) AS identity,
    json_object(
        'status', status, 'call_type', r ->> 'call_type', 'cache_hit', replayed,
        'engine_called', NOT replayed AND coalesce(r ->> 'api_base', '') <> '', 'api_base', r ->> 'api_base',
        'cache_key', r ->> 'cache_key', 'upstream_model', r ->> 'model', 'error_class', nullif(error ->> 'error_class', '')
    ) AS detail,
    prompt_messages,
    CASE WHEN prompt_messages IS NULL THEN prompt_text END AS prompt_text,
    response_messages,
    CASE WHEN response_messages IS NULL THEN answer_text(response) END AS response_text,
    CASE WHEN (r ->> 'request_id') IS NULL OR (r ->> 'call_type') IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
