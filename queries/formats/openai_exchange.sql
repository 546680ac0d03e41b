-- question: what do home-made records of whole calls say, a request body beside its answer?
-- grain: one row per call
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json members
-- keys: request, response, !custom_id, !litellm_call_id, !latencies, !ai | request_body, response_body, !request_created_at
-- evidence: JSON objects with request and response
-- where from: a service's own log of its calls: one JSON object per call, the bodies as objects, as JSON text, as the raw text of
--   server-sent events, or as an array of chunks
-- assumptions: bodies may stand one step deeper, under body. The time is the first of timestamp, time, ts, received_at, created_at,
--   start_time that is set, as epoch seconds or milliseconds, or ISO 8601; without a zone it is local. Everything that is not a
--   body is kept for tenant rules. Shapes: formats.md D
-- cannot say: Kong's log, whose request and response are HTTP's (latencies, ai) and hold no bodies; what its author did not write; a field of another name is kept in identity, and needs a format of your own to be used
-- traps: an answer whose stream broke off is truncated; one that was cut by the logger without a mark looks complete
WITH taken AS MATERIALIZED (
    -- Bodies are long: taken out once, so that no other field reads them again.
    SELECT byte_offset, item,
           json_extract(raw, ['$.request_body', '$.request', '$.response_body', '$.response']) AS bodies,
           json_merge_patch(raw, '{"request": null, "response": null, "request_body": null, "response_body": null}') AS r
    FROM raw
),
given AS (
    SELECT byte_offset, item, r, json_of(coalesce(bodies[1], bodies[2])) AS asked, json_of(coalesce(bodies[3], bodies[4])) AS answered
    FROM taken
),
bodies AS (
    SELECT byte_offset, item, r, answered AS outer_answer,
           CASE WHEN json_type(asked -> 'body') IN ('OBJECT', 'VARCHAR') THEN json_of(asked -> 'body') ELSE asked END AS asked,
           CASE
               WHEN json_type(answered -> 'body') IN ('OBJECT', 'VARCHAR', 'ARRAY') THEN json_of(answered -> 'body') ELSE answered
           END AS answered,
           coalesce(
               r ->> 'timestamp', r ->> 'time', r ->> 'ts', r ->> 'received_at', r ->> 'created_at', r ->> 'start_time'
           ) AS stamp
    FROM given
),
streams AS MATERIALIZED (
    SELECT *,
           CASE
               WHEN json_type(answered) = 'ARRAY' THEN json_extract(answered, '$[*]')
               WHEN regexp_matches(text_of(answered), '^\s*(?:data|event|:)') THEN sse_events(text_of(answered))
           END AS events
    FROM bodies
),
told AS MATERIALIZED (
    SELECT *, stream_told(events) AS told, asked_messages(asked) AS prompt_messages,
           CASE WHEN events IS NULL THEN answer_messages(answered) ELSE stream_messages(stream_pieces(events)) END AS response_messages,
           coalesce(contains(text_of(answered), '[DONE]') OR stream_told(events).finish IS NOT NULL, FALSE)
               AND coalesce(sse_whole(text_of(answered)), TRUE) AS ended
    FROM streams
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    CASE
        WHEN try_cast(stamp AS DECIMAL(28, 9)) >= 100000000000 THEN cast(try_cast(stamp AS DECIMAL(28, 9)) * 1000000 AS BIGINT)
        ELSE epoch_ns_of(stamp)
    END AS at_ns,
    regexp_matches(stamp, '^\d{4}-\d\d-\d\d[T ][\d:.,]+$') AS at_is_local,
    coalesce(answered ->> 'id', answered ->> '$.meta_info.id', told.response_id) AS response_id,
    CASE
        WHEN coalesce(answered ->> 'id', answered ->> '$.meta_info.id', told.response_id) IS NULL
            THEN coalesce(r ->> 'request_id', r ->> 'id')
    END AS call_id,
    lone(asked -> 'rid') AS rid,
    lone(asked -> 'bootstrap_room') AS room,
    coalesce(answered ->> 'model', told.model, asked ->> 'model') AS model,
    coalesce(usage_prompt(answered -> 'usage'), integer_of(answered -> '$.meta_info.prompt_tokens'), told.prompt_tokens) AS prompt_tokens,
    coalesce(usage_cached(answered -> 'usage'), integer_of(answered -> '$.meta_info.cached_tokens'), told.cached_tokens) AS cached_tokens,
    coalesce(usage_completion(answered -> 'usage'), integer_of(answered -> '$.meta_info.completion_tokens'), told.completion_tokens)
        AS completion_tokens,
    try_cast(coalesce(
        r ->> 'status_code', r ->> 'status', r ->> 'response_status', outer_answer ->> 'status_code', outer_answer ->> 'status',
        answered ->> '$.error.code'
    ) AS INTEGER) AS http_status,
    CASE
        WHEN json_type(answered -> 'error') = 'OBJECT' OR told.error_text IS NOT NULL THEN 'error'
        WHEN events IS NOT NULL AND NOT ended THEN 'aborted'
        WHEN json_type(answered) IN ('OBJECT', 'VARCHAR', 'ARRAY') THEN 'ok'
    END AS outcome,
    coalesce(answer_finish(answered), told.finish) AS finish_type,
    coalesce(answered ->> '$.error.message', told.error_text) AS error_text,
    coalesce(try_cast(asked ->> 'stream' AS BOOLEAN), events IS NOT NULL) AS streamed,
    CASE
        WHEN prompt_messages IS NULL AND asked_text(asked) IS NULL AND text_of(asked) IS NULL
            THEN CASE WHEN json_type(asked -> 'input_ids') = 'ARRAY' THEN 'token_ids' ELSE 'absent' END
    END AS prompt_state,
    CASE
        WHEN events IS NOT NULL AND NOT ended THEN 'truncated'
        WHEN events IS NOT NULL THEN CASE WHEN response_messages IS NULL AND told.cumulative IS NULL THEN 'absent' END
        WHEN response_messages IS NULL AND answer_text(answered) IS NULL THEN 'absent'
    END AS response_state,
    json_object(
        'call', r, 'user', asked -> 'user', 'metadata', asked -> 'metadata', 'cache_salt', asked -> 'cache_salt'
    ) AS identity,
    CASE WHEN events IS NOT NULL THEN json_object('events', len(events)) END AS detail,
    prompt_messages,
    CASE WHEN prompt_messages IS NULL THEN coalesce(asked_text(asked), text_of(asked)) END AS prompt_text,
    response_messages,
    CASE WHEN response_messages IS NULL THEN CASE WHEN events IS NULL THEN answer_text(answered) ELSE told.cumulative END END
        AS response_text,
    CASE
        -- Many programs log a request beside its response: without a word of a model's call in either it is none of ours.
        WHEN prompt_messages IS NULL AND asked_text(asked) IS NULL AND text_of(asked) IS NULL AND (asked -> 'input_ids') IS NULL
            AND (asked ->> 'model') IS NULL AND response_messages IS NULL AND answer_text(answered) IS NULL AND events IS NULL
            AND (answered ->> 'model') IS NULL AND (answered -> 'usage') IS NULL AND (answered ->> 'id') IS NULL
            AND (answered -> 'error') IS NULL
            THEN 'not_this_format'
    END AS reject_reason
FROM told
