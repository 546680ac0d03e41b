-- question: what did a raw SSE capture deliver to its client?
-- grain: one row per capture: one streamed response
-- inputs: raw (line, byte_offset, item, raw): one JSON object made by framing: stem, done, cut, events
-- framing: sse
-- detect: ^(?:data: ?(?:\{|\[DONE\])|event: ?\w)
-- evidence: data: and event: lines
-- assumptions: trace_id 'sse:<stem>' ties the capture to the request body and headers beside it, whose names share the stem.
--   OpenAI chunks are joined per choice, tool arguments per (choice, tool); SGLang's /generate repeats the text so far, so
--   the longest counts; Anthropic's deltas are joined per block. An error event after HTTP 200 is an error. A capture
--   with neither [DONE] nor a finish reason ends early: its text is a head
WITH given AS MATERIALIZED (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
),
event AS MATERIALIZED (
    SELECT byte_offset, item, e.place, e.body ->> 'event' AS name, e.body -> 'data' AS data
    FROM given, unnest(json_extract(r, '$.events[*]')) WITH ORDINALITY AS e(body, place)
),
choice AS (
    SELECT byte_offset, item, place, coalesce(try_cast(c.body ->> 'index' AS INTEGER), 0) AS slot,
           coalesce(c.body -> 'delta', c.body -> 'message') AS delta, text_of(c.body -> 'text') AS plain,
           c.body ->> 'finish_reason' AS finish
    FROM event, unnest(json_extract(data, '$.choices[*]')) AS c(body)
    UNION ALL
    SELECT byte_offset, item, place, coalesce(try_cast(data ->> 'index' AS INTEGER), 0),
           json_object(
               'content', data -> '$.delta.text', 'reasoning_content', data -> '$.delta.thinking',
               'tool_calls', CASE
                   WHEN (data -> '$.delta.partial_json') IS NOT NULL
                       THEN [json_object('index', 0, 'function', json_object('arguments', data -> '$.delta.partial_json'))]
               END
           ),
           NULL, data ->> '$.delta.stop_reason'
    FROM event
    WHERE (data ->> 'type') IN ('content_block_delta', 'message_delta')
    UNION ALL
    SELECT byte_offset, item, place, 0, json_object('content', data -> 'delta'), NULL, NULL
    FROM event
    WHERE (data ->> 'type') = 'response.output_text.delta'
),
call AS (
    SELECT byte_offset, item, slot, coalesce(try_cast(t.body ->> 'index' AS INTEGER), 0) AS tool,
           string_agg(t.body ->> '$.function.arguments', '' ORDER BY place) AS arguments
    FROM choice, unnest(json_extract(delta, '$.tool_calls[*]')) AS t(body)
    GROUP BY byte_offset, item, slot, tool
),
calls AS (
    SELECT byte_offset, item, slot,
           to_json(list(json_object('function', json_object('arguments', arguments)) ORDER BY tool)) AS tool_calls
    FROM call
    GROUP BY byte_offset, item, slot
),
message AS (
    SELECT byte_offset, item, slot,
           string_agg(coalesce(text_of(delta -> 'content'), plain), '' ORDER BY place) AS content,
           string_agg(coalesce(text_of(delta -> 'reasoning_content'), text_of(delta -> 'reasoning')), '' ORDER BY place) AS reasoning,
           string_agg(text_of(delta -> 'refusal'), '' ORDER BY place) AS refusal,
           max(finish) AS finish
    FROM choice
    GROUP BY byte_offset, item, slot
),
answer AS (
    SELECT message.byte_offset, message.item, max(finish) AS finish, count(*) AS choices,
           to_json(list(
               json_object('role', 'assistant', 'reasoning_content', reasoning, 'content', content, 'refusal', refusal,
                           'tool_calls', tool_calls)
               ORDER BY message.slot
           )) AS messages,
           CASE WHEN count(*) = 1 AND max(reasoning) IS NULL AND max(tool_calls) IS NULL THEN max(content) END AS only_text
    FROM message
    LEFT JOIN calls
        ON message.byte_offset = calls.byte_offset AND message.item = calls.item AND message.slot = calls.slot
    GROUP BY message.byte_offset, message.item
),
told AS (
    SELECT byte_offset, item,
           first(data ->> 'id' ORDER BY place) FILTER (WHERE (data ->> 'id') IS NOT NULL) AS chunk_id,
           first(coalesce(data ->> '$.message.id', data ->> '$.response.id', data ->> '$.meta_info.id') ORDER BY place)
               FILTER (WHERE coalesce(data ->> '$.message.id', data ->> '$.response.id', data ->> '$.meta_info.id') IS NOT NULL)
               AS inner_id,
           first(coalesce(data ->> 'model', data ->> '$.message.model') ORDER BY place)
               FILTER (WHERE coalesce(data ->> 'model', data ->> '$.message.model') IS NOT NULL) AS model,
           min(try_cast(data ->> 'created' AS BIGINT)) AS created,
           max(try_cast(coalesce(data ->> '$.usage.prompt_tokens', data ->> '$.meta_info.prompt_tokens') AS BIGINT)) AS prompt_tokens,
           max(try(try_cast(data ->> '$.message.usage.input_tokens' AS BIGINT)
               + coalesce(try_cast(data ->> '$.message.usage.cache_read_input_tokens' AS BIGINT), 0)
               + coalesce(try_cast(data ->> '$.message.usage.cache_creation_input_tokens' AS BIGINT), 0))) AS input_tokens,
           max(try_cast(coalesce(
               data ->> '$.usage.completion_tokens', data ->> '$.usage.output_tokens', data ->> '$.meta_info.completion_tokens'
           ) AS BIGINT)) AS completion_tokens,
           max(try_cast(data ->> '$.usage.prompt_tokens_details.cached_tokens' AS BIGINT)) AS cached_tokens,
           arg_max(text_of(data -> 'text'), (length(text_of(data -> 'text')), -place)) AS cumulative,
           max(data ->> '$.meta_info.finish_reason.type') AS generate_finish,
           string_agg(coalesce(data ->> '$.error.message', text_of(data -> 'error')), '; ' ORDER BY place) AS error_text,
           max(try_cast(data ->> '$.error.code' AS INTEGER)) AS error_code
    FROM event
    GROUP BY byte_offset, item
)
SELECT
    given.byte_offset, given.item, 'client' AS kind, 'whole' AS phase,
    try(told.created * 1000000000) AS at_ns,
    coalesce(told.chunk_id, told.inner_id) AS response_id,
    'sse:' || (r ->> 'stem') AS trace_id,
    told.model,
    coalesce(told.prompt_tokens, told.input_tokens) AS prompt_tokens,
    told.cached_tokens, told.completion_tokens,
    CASE WHEN told.error_text IS NOT NULL THEN told.error_code END AS http_status,
    CASE
        WHEN told.error_text IS NOT NULL THEN 'error'
        WHEN try_cast(r ->> 'done' AS BOOLEAN) OR coalesce(answer.finish, told.generate_finish) IS NOT NULL THEN 'ok'
        ELSE 'aborted'
    END AS outcome,
    coalesce(answer.finish, told.generate_finish) AS finish_type,
    told.error_text,
    TRUE AS streamed,
    'absent' AS prompt_state,
    CASE
        WHEN NOT coalesce(try_cast(r ->> 'done' AS BOOLEAN), FALSE) AND coalesce(answer.finish, told.generate_finish) IS NULL
            THEN 'truncated'
        WHEN answer.messages IS NULL AND told.cumulative IS NULL THEN 'absent'
    END AS response_state,
    json_object(
        'stem', r ->> 'stem', 'events', json_array_length(r -> 'events'), 'done', r -> 'done', 'cut', r -> 'cut',
        'time_is', 'created, of the first chunk'
    ) AS detail,
    answer.messages AS response_messages,
    CASE WHEN answer.messages IS NULL THEN told.cumulative END AS response_text
FROM given
LEFT JOIN answer ON given.byte_offset = answer.byte_offset AND given.item = answer.item
LEFT JOIN told ON given.byte_offset = told.byte_offset AND given.item = told.item
