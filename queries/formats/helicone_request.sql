-- question: what does each request of a Helicone export say?
-- grain: one row per request: one call as the gateway saw it
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- keys: request_id, request_created_at
-- evidence: Helicone requests (request_created_at)
-- where from: npx @helicone/export --include-body (JSON, JSON lines or CSV), or Helicone's query API
-- assumptions: delay_ms and time_to_first_token are milliseconds from request_created_at. Bodies may be objects, JSON text, or a
--   stream's events under streamed_data. Shapes: formats.md C9
-- cannot say: worker; bodies that are only behind a signed URL, which is not kept, are absent
-- traps: without --include-body there are no texts at all; a request may ask Helicone to omit them
WITH taken AS MATERIALIZED (
    -- Bodies are long: taken out once, so that no other field reads them again.
    SELECT byte_offset, item, json_extract(raw, ['$.request_body', '$.response_body']) AS bodies,
           json_merge_patch(raw, '{"request_body": null, "response_body": null}') AS r
    FROM raw
),
given AS (
    SELECT byte_offset, item, r, json_of(bodies[1]) AS asked, json_of(bodies[2]) AS answered,
           epoch_ns_of(r ->> 'request_created_at') AS received_ns
    FROM taken
),
streams AS MATERIALIZED (
    SELECT *,
           CASE
               WHEN json_type(answered -> 'streamed_data') = 'ARRAY' THEN json_extract(answered, '$.streamed_data[*]')
               WHEN json_type(answered -> 'streamed_data') = 'VARCHAR' THEN sse_events(answered ->> 'streamed_data')
               WHEN regexp_matches(text_of(answered), '^\s*(?:data|event|:)') THEN sse_events(text_of(answered))
           END AS events
    FROM given
),
told AS MATERIALIZED (
    SELECT *, stream_told(events) AS told, asked_messages(asked) AS prompt_messages,
           coalesce(stream_messages(stream_pieces(events)), answer_messages(answered)) AS response_messages
    FROM streams
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    received_ns AS at_ns, received_ns,
    try(received_ns + try_cast(r ->> 'time_to_first_token' AS BIGINT) * 1000000) AS first_token_ns,
    coalesce(try(received_ns + try_cast(r ->> 'delay_ms' AS BIGINT) * 1000000), epoch_ns_of(r ->> 'response_created_at')) AS finished_ns,
    coalesce(answered ->> 'id', told.response_id) AS response_id,
    r ->> 'request_id' AS call_id,
    coalesce(r ->> 'model_override', r ->> 'request_model', asked ->> 'model', r ->> 'response_model') AS model,
    'helicone' AS engine,
    integer_of(r -> 'prompt_tokens') AS prompt_tokens,
    integer_of(r -> 'prompt_cache_read_tokens') AS cached_tokens,
    integer_of(r -> 'completion_tokens') AS completion_tokens,
    try_cast(r ->> 'response_status' AS INTEGER) AS http_status,
    CASE
        WHEN try_cast(r ->> 'response_status' AS INTEGER) = 499 OR try_cast(r ->> 'response_status' AS INTEGER) < 0 THEN 'aborted'
        WHEN try_cast(r ->> 'response_status' AS INTEGER) >= 400 THEN 'error'
        ELSE 'ok'
    END AS outcome,
    coalesce(answer_finish(answered), told.finish) AS finish_type,
    answered ->> '$.error.message' AS error_text,
    try_cast(asked ->> 'stream' AS BOOLEAN) AS streamed,
    CASE WHEN prompt_messages IS NULL AND asked_text(asked) IS NULL THEN 'absent' END AS prompt_state,
    CASE
        WHEN events IS NOT NULL AND told.finish IS NULL THEN 'truncated'
        WHEN response_messages IS NULL AND answer_text(answered) IS NULL THEN 'absent'
    END AS response_state,
    json_object(
        'request_user_id', r -> 'request_user_id', 'request_properties', json_of(r -> 'request_properties'),
        'helicone_user', r -> 'helicone_user', 'user', asked -> 'user', 'metadata', asked -> 'metadata'
    ) AS identity,
    json_object(
        'path', r ->> 'request_path', 'provider', r ->> 'provider', 'bodies_elsewhere', (r ->> 'signed_body_url') IS NOT NULL
    ) AS detail,
    prompt_messages,
    CASE WHEN prompt_messages IS NULL THEN asked_text(asked) END AS prompt_text,
    response_messages,
    CASE WHEN events IS NULL AND response_messages IS NULL THEN answer_text(answered) END AS response_text,
    CASE WHEN (r ->> 'request_id') IS NULL THEN 'not_this_format' END AS reject_reason
FROM told
