-- question: what does each span or log record of an OTLP export say about an LLM call?
-- grain: one row per span or log record (item numbers them within a batch)
-- inputs: raw (line, byte_offset, item, raw): JSON objects made by framing: signal, resource, attributes, times, ids in hex
-- framing: otlp
-- keys: resourceSpans | resource_spans | resourceLogs | resource_logs | resourceMetrics | resource_metrics
-- evidence: OTLP batches
-- where from: an OpenTelemetry collector's file exporter, a trace store's export as OTLP JSON, or protobuf's MessageToJson; of
--   instrumented clients, gateways and engines (SGLang with --enable-trace, vLLM)
-- assumptions: a span's times are nanoseconds UTC. trace_id may span several calls of one agent: only trace_id with
--   detail.span_id names one call, and a log record of the same span repeats it. Attribute names of the GenAI conventions,
--   new and old, of SGLang's own tracing (rid, bootstrap_room in hex), Traceloop and OpenInference are read, also where each
--   message has numbered names of its own, or is an event of the span. Token usage that is not there is unknown, not zero.
--   Shapes: formats.md A9 and C4
-- cannot say: texts, unless the instrumentation was told to keep them; the worker, but for resource attributes, kept in identity
-- traps: a log record that holds one message of a prompt is only a part of it, and counts as truncated. Spans may be sampled
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'attributes' AS a,
           json_keys(cast(raw AS JSON) -> 'attributes') AS names, json_extract(raw, '$.events[*]') AS events,
           coalesce(cast(raw AS JSON) ->> 'eventName', cast(raw AS JSON) ->> '$.attributes."event.name"') AS event_name
    FROM raw
),
named AS (
    SELECT byte_offset, item, r, a, event_name,
           list_filter(
               names, LAMBDA name: regexp_matches(name, '^(gen_ai\.(prompt|completion)|llm\.(input|output)_messages)\.\d')
           ) AS body_names,
           coalesce(lone(a -> 'gen_ai.response.id'), lone(a -> 'llm.response.id')) AS response_id,
           lone(a -> 'rid') AS rid,
           coalesce(lone(a -> 'bootstrap_room'), lone(a -> 'sglang.bootstrap_room')) AS room,
           coalesce(
               a -> 'gen_ai.input.messages', a -> 'gen_ai.prompt', a -> 'llm.input_messages',
               r -> '$.body."gen_ai.input.messages"', numbered_messages(a, names, 'gen_ai.prompt'),
               numbered_messages(a, names, 'llm.input_messages'), a -> 'input.value', event_messages(events, FALSE),
               event_text(events, 'gen_ai.content.prompt', '$.attributes."gen_ai.prompt"'),
               CASE
                   WHEN regexp_full_match(event_name, 'gen_ai\.(system|user|assistant|tool)\.message')
                       THEN json_array(json_merge_patch(
                           json_object('role', regexp_extract(event_name, 'gen_ai\.(\w+)\.message', 1)), r -> 'body'
                       ))
               END
           ) AS input,
           coalesce(
               a -> 'gen_ai.output.messages', a -> 'gen_ai.completion', a -> 'llm.output_messages',
               r -> '$.body."gen_ai.output.messages"', numbered_messages(a, names, 'gen_ai.completion'),
               numbered_messages(a, names, 'llm.output_messages'), a -> 'output.value', event_messages(events, TRUE),
               event_text(events, 'gen_ai.content.completion', '$.attributes."gen_ai.completion"'),
               CASE
                   WHEN event_name = 'gen_ai.choice'
                       THEN json_array(json_merge_patch('{"role": "assistant"}', coalesce(r -> '$.body.message', r -> 'body')))
               END
           ) AS output,
           coalesce(a -> 'gen_ai.system_instructions', cast('null' AS JSON)) AS instructions
    FROM given
),
unwrapped AS (
    SELECT *, json_of(input) AS asked, json_of(output) AS answered, json_of(instructions) AS system,
           coalesce(regexp_full_match(event_name, 'gen_ai\.(system|user|assistant|tool)\.message'), FALSE) AS is_piece
    FROM named
)
SELECT
    byte_offset, item,
    CASE
        WHEN rid LIKE 'HEALTH_CHECK%' THEN 'warmup'
        WHEN rid IS NOT NULL OR room IS NOT NULL THEN 'engine'
        WHEN response_id IS NOT NULL OR (a -> 'gen_ai.request.model') IS NOT NULL OR json_type(asked) IN ('ARRAY', 'VARCHAR')
            OR json_type(answered) IN ('ARRAY', 'VARCHAR') THEN 'client'
        ELSE 'note'
    END AS kind,
    CASE r ->> 'signal' WHEN 'log' THEN 'finished' ELSE 'whole' END AS phase,
    coalesce(
        try_cast(r ->> 'startTimeUnixNano' AS BIGINT), nullif(try_cast(r ->> 'timeUnixNano' AS BIGINT), 0),
        try_cast(r ->> 'observedTimeUnixNano' AS BIGINT)
    ) AS at_ns,
    try_cast(r ->> 'startTimeUnixNano' AS BIGINT) AS received_ns,
    try(
        try_cast(r ->> 'startTimeUnixNano' AS BIGINT)
        + duration_ns(a ->> 'gen_ai.response.time_to_first_chunk')
    ) AS first_token_ns,
    try_cast(r ->> 'endTimeUnixNano' AS BIGINT) AS finished_ns,
    response_id, rid,
    CASE
        WHEN regexp_full_match(room, '0x[0-9a-fA-F]{1,16}') THEN cast(try_cast(room AS UBIGINT) AS VARCHAR)
        ELSE room
    END AS room,
    r ->> 'traceId' AS trace_id,
    coalesce(
        a ->> 'gen_ai.request.model', a ->> 'gen_ai.response.model', a ->> 'llm.model_name', a ->> 'llm.request.model'
    ) AS model,
    CASE WHEN rid IS NOT NULL OR room IS NOT NULL THEN 'sglang' END AS engine,
    try_cast(coalesce(
        a ->> 'gen_ai.usage.input_tokens', a ->> 'gen_ai.usage.prompt_tokens', a ->> 'llm.token_count.prompt'
    ) AS BIGINT) AS prompt_tokens,
    try_cast(coalesce(a ->> 'gen_ai.usage.cache_read.input_tokens', a ->> 'gen_ai.usage.cached_tokens') AS BIGINT) AS cached_tokens,
    try_cast(coalesce(
        a ->> 'gen_ai.usage.output_tokens', a ->> 'gen_ai.usage.completion_tokens', a ->> 'llm.token_count.completion'
    ) AS BIGINT) AS completion_tokens,
    try_cast(nullif(regexp_extract(r ->> '$.status.message', '^Error code: (\d{3})', 1), '') AS INTEGER) AS http_status,
    CASE
        WHEN (a -> 'error.type') IS NOT NULL OR (r ->> '$.status.code') IN ('2', 'STATUS_CODE_ERROR') THEN 'error'
        WHEN response_id IS NOT NULL THEN 'ok'
    END AS outcome,
    coalesce(
        json_of(a -> 'gen_ai.response.finish_reasons') ->> '$[0]', a ->> 'gen_ai.response.finish_reasons',
        a ->> 'gen_ai.completion.0.finish_reason', json_of(output) ->> '$[0].finish_reason'
    ) AS finish_type,
    coalesce(r ->> '$.status.message', a ->> 'error.type') AS error_text,
    try_cast(a ->> 'gen_ai.request.stream' AS BOOLEAN) AS streamed,
    CASE WHEN is_piece THEN 'truncated' END AS prompt_state,
    json_object('resource', r -> 'resource', 'attributes', json_merge_patch(
        json_merge_patch(
            a,
            '{' || array_to_string(list_transform(body_names, LAMBDA name: cast(to_json(name) AS VARCHAR) || ': null'), ', ') || '}'
        ),
        '{"gen_ai.input.messages": null, "gen_ai.output.messages": null, "gen_ai.system_instructions": null,
          "gen_ai.tool.definitions": null, "gen_ai.prompt": null, "gen_ai.completion": null, "llm.input_messages": null,
          "llm.output_messages": null, "input.value": null, "output.value": null}'
    )) AS identity,
    json_object(
        'signal', r ->> 'signal', 'span_id', r ->> 'spanId', 'parent_span_id', r ->> 'parentSpanId', 'name', r ->> 'name',
        'error_rid', coalesce(
            nullif(regexp_extract(r ->> '$.status.message', 'req\.rid=''([^'']+)''', 1), ''),
            nullif(regexp_extract(r ->> '$.status.message', 'Request (\S+) exceeds the maximum number of tokens', 1), '')
        ),
        'error_room', nullif(regexp_extract(r ->> '$.status.message', 'bootstrap_room=(\d+)', 1), '')
    ) AS detail,
    CASE
        WHEN json_type(system) = 'ARRAY'
            THEN cast(list_concat(
                [cast(json_object('role', 'system', 'parts', system) AS JSON)], json_extract(asked, '$[*]')
            ) AS JSON)
        WHEN json_type(asked) = 'ARRAY' THEN asked
    END AS prompt_messages,
    text_of(asked) AS prompt_text,
    CASE WHEN json_type(answered) = 'ARRAY' THEN answered END AS response_messages,
    text_of(answered) AS response_text
FROM unwrapped
