-- question: what does each span or log record of an OTLP export say about an LLM call?
-- grain: one row per span or log record (item numbers them within a batch)
-- inputs: raw (line, byte_offset, item, raw): JSON objects made by framing: signal, resource, attributes, times, ids in hex
-- framing: otlp
-- detect: ^\s*\{"(?:resource_?[sS]pans|resource_?[lL]ogs|resource_?[mM]etrics)"
-- evidence: OTLP batches, one per line
-- assumptions: a span's times are nanoseconds UTC. trace_id may span several calls of one agent: only trace_id with
--   detail.span_id names one call, and a log record of the same span repeats it. Attribute names of the GenAI conventions,
--   new and old, of SGLang's own tracing (rid, bootstrap_room in hex), Traceloop and OpenInference are read. Token usage
--   that is not there is unknown, not zero. Shapes: formats.md A9 and C4
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'attributes' AS a FROM raw
),
named AS (
    SELECT byte_offset, item, r, a,
           coalesce(lone(a -> 'gen_ai.response.id'), lone(a -> 'llm.response.id')) AS response_id,
           lone(a -> 'rid') AS rid,
           coalesce(lone(a -> 'bootstrap_room'), lone(a -> 'sglang.bootstrap_room')) AS room,
           coalesce(
               a -> 'gen_ai.input.messages', a -> 'gen_ai.prompt', a -> 'llm.input_messages', a -> 'input.value',
               r -> '$.body."gen_ai.input.messages"'
           ) AS input,
           coalesce(
               a -> 'gen_ai.output.messages', a -> 'gen_ai.completion', a -> 'llm.output_messages', a -> 'output.value',
               r -> '$.body."gen_ai.output.messages"'
           ) AS output,
           coalesce(a -> 'gen_ai.system_instructions', cast('null' AS JSON)) AS instructions
    FROM given
),
unwrapped AS (
    SELECT *,
           CASE WHEN json_type(input) = 'VARCHAR' AND json_valid(input ->> '$') THEN cast(input ->> '$' AS JSON) ELSE input END
               AS asked,
           CASE WHEN json_type(output) = 'VARCHAR' AND json_valid(output ->> '$') THEN cast(output ->> '$' AS JSON) ELSE output END
               AS answered,
           CASE
               WHEN json_type(instructions) = 'VARCHAR' AND json_valid(instructions ->> '$') THEN cast(instructions ->> '$' AS JSON)
               ELSE instructions
           END AS system
    FROM named
)
SELECT
    byte_offset, item,
    CASE
        WHEN rid LIKE 'HEALTH_CHECK%' THEN 'warmup'
        WHEN rid IS NOT NULL OR room IS NOT NULL THEN 'engine'
        WHEN response_id IS NOT NULL OR (a -> 'gen_ai.request.model') IS NOT NULL OR json_type(asked) IN ('ARRAY', 'VARCHAR')
            THEN 'client'
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
    coalesce(a ->> '$."gen_ai.response.finish_reasons"[0]', a ->> 'gen_ai.response.finish_reasons') AS finish_type,
    coalesce(r ->> '$.status.message', a ->> 'error.type') AS error_text,
    try_cast(a ->> 'gen_ai.request.stream' AS BOOLEAN) AS streamed,
    json_object('resource', r -> 'resource', 'attributes', json_merge_patch(
        a,
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
