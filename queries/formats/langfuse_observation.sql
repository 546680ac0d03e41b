-- question: what does each observation of a Langfuse export say?
-- grain: one row per observation; only generations are calls, the rest are notes
-- inputs: raw (line, byte_offset, item, raw): JSON objects, of a CSV all values text
-- keys: id, trace_id, type, start_time | id, traceId, type, startTime
-- evidence: Langfuse's observation columns
-- where from: Langfuse's blob storage integration (observations_v2/ or the older observations/), its API, or the export of its tables:
--   Parquet, JSON lines, JSON or CSV
-- assumptions: stamps without a zone are UTC. input and output are text that may hold JSON, once or twice encoded (langfuse PR 13033).
--   The response id stands in the id where LiteLLM wrote it (time-…_<id>), or among the metadata of OpenTelemetry. Where
--   total = input + output, input holds the cached tokens, else they are added. trace_id 'langfuse:<id>' names this one call,
--   since a trace may hold several. Shapes: formats.md C3
-- cannot say: worker, HTTP status; without a response id the call is joined by its prompt and time only
-- traps: exports may lack whole windows and still report success (15617, 17282); bodies beyond 1 MB are cut without a mark (4940)
WITH taken AS MATERIALIZED (
    -- Bodies are long: taken out once, so that no other field reads them again.
    SELECT byte_offset, item, json_extract(raw, ['$.input', '$.output']) AS bodies,
           json_merge_patch(raw, '{"input": null, "output": null}') AS r
    FROM raw
),
named AS MATERIALIZED (
    SELECT byte_offset, item, r, r ->> 'id' AS id, coalesce(r ->> 'type', 'GENERATION') = 'GENERATION' AS is_call,
           json_of(r -> 'metadata') AS metadata, json_of(bodies[1]) AS asked, json_of(bodies[2]) AS answered,
           json_of(coalesce(r -> 'usage_details', r -> 'usageDetails', r -> 'usage')) AS usage,
           coalesce(r ->> 'start_time', r ->> 'startTime') AS started, coalesce(r ->> 'end_time', r ->> 'endTime') AS ended,
           coalesce(r ->> 'completion_start_time', r ->> 'completionStartTime') AS first_token
    FROM taken
),
counted AS MATERIALIZED (
    SELECT *, coalesce(asked_messages(asked), CASE WHEN json_type(asked) = 'ARRAY' THEN asked END) AS asked_list,
           answer_messages(answered) AS answer_list, integer_of(usage -> 'input') AS input_tokens, integer_of(usage -> 'output') AS output_tokens,
           coalesce(integer_of(usage -> 'input_cached_tokens'), integer_of(usage -> 'cache_read_input_tokens')) AS cached
    FROM named
)
SELECT
    byte_offset, item,
    CASE WHEN is_call THEN 'client' ELSE 'note' END AS kind,
    'whole' AS phase,
    epoch_ns_of(started) AS at_ns, epoch_ns_of(started) AS received_ns, epoch_ns_of(first_token) AS first_token_ns,
    epoch_ns_of(ended) AS finished_ns,
    CASE
        WHEN is_call THEN coalesce(
            nullif(regexp_extract(id, '^time-[\d-]+_(.+)$', 1), ''), metadata ->> 'response_id',
            json_of(metadata -> 'attributes') ->> 'gen_ai.response.id', metadata ->> 'gen_ai.response.id'
        )
    END AS response_id,
    CASE WHEN is_call THEN 'langfuse:' || id END AS trace_id,
    coalesce(r ->> 'provided_model_name', r ->> 'providedModelName', r ->> 'model') AS model,
    CASE
        WHEN integer_of(usage -> 'total') = try(input_tokens + output_tokens) THEN input_tokens
        ELSE try(input_tokens + coalesce(cached, 0))
    END AS prompt_tokens,
    cached AS cached_tokens,
    output_tokens AS completion_tokens,
    CASE WHEN (r ->> 'level') = 'ERROR' THEN 'error' WHEN is_call THEN 'ok' END AS outcome,
    answer_finish(answered) AS finish_type,
    coalesce(r ->> 'status_message', r ->> 'statusMessage') AS error_text,
    first_token IS NOT NULL AS streamed,
    CASE
        WHEN NOT is_call OR asked_list IS NULL AND asked_text(asked) IS NULL AND text_of(asked) IS NULL THEN 'absent'
    END AS prompt_state,
    CASE
        WHEN NOT is_call OR answer_list IS NULL AND answer_text(answered) IS NULL
            AND coalesce(answered -> 'content', answered -> 'tool_calls') IS NULL AND json_type(answered) IS DISTINCT FROM 'ARRAY'
            THEN 'absent'
    END AS response_state,
    json_object(
        'user_id', coalesce(r ->> 'user_id', r ->> 'userId'), 'session_id', coalesce(r ->> 'session_id', r ->> 'sessionId'),
        'project_id', coalesce(r ->> 'project_id', r ->> 'projectId'), 'environment', r -> 'environment', 'tags', json_of(r -> 'tags'),
        'trace_name', coalesce(r ->> 'trace_name', r ->> 'traceName'), 'metadata', metadata
    ) AS identity,
    json_object(
        'type', r ->> 'type', 'name', r ->> 'name', 'langfuse_trace', coalesce(r ->> 'trace_id', r ->> 'traceId'), 'level', r ->> 'level'
    ) AS detail,
    CASE WHEN is_call THEN asked_list END AS prompt_messages,
    CASE WHEN is_call AND asked_list IS NULL THEN coalesce(text_of(asked), asked_text(asked)) END AS prompt_text,
    CASE
        WHEN NOT is_call THEN NULL
        WHEN answer_list IS NOT NULL THEN answer_list
        WHEN json_type(answered) = 'ARRAY' THEN answered
        WHEN (answered -> 'content') IS NOT NULL OR (answered -> 'tool_calls') IS NOT NULL
            THEN json_array(json_merge_patch('{"role": "assistant"}', answered))
    END AS response_messages,
    CASE
        WHEN is_call AND answer_list IS NULL AND (answered -> 'content') IS NULL THEN answer_text(answered)
    END AS response_text,
    CASE WHEN id IS NULL OR started IS NULL THEN 'not_this_format' END AS reject_reason
FROM counted
