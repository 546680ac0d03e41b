-- question: what did each line of a batch's output or error file answer?
-- grain: one row per answer of the batch
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- keys: id, custom_id, response, !method
-- evidence: JSON lines with id, custom_id and response
-- where from: the output and error files of OpenAI's Batch API, vllm run-batch or SGLang's batch endpoint
-- assumptions: trace_id 'batch:<custom_id>' ties it to the input, whose order is another. Shapes: formats.md C10
-- cannot say: what was asked, who asked; only the time of the body's creation in whole seconds
-- traps: as openai_batch_input
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> '$.response.body' AS body FROM raw
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    epoch_ns_of(body ->> 'created') AS at_ns,
    body ->> 'id' AS response_id,
    'batch:' || (r ->> 'custom_id') AS trace_id,
    r ->> '$.response.request_id' AS router_request_id,
    body ->> 'model' AS model,
    usage_prompt(body -> 'usage') AS prompt_tokens,
    usage_cached(body -> 'usage') AS cached_tokens,
    usage_completion(body -> 'usage') AS completion_tokens,
    try_cast(r ->> '$.response.status_code' AS INTEGER) AS http_status,
    CASE
        WHEN json_type(r -> 'error') = 'OBJECT' OR (body -> 'error') IS NOT NULL
            OR try_cast(r ->> '$.response.status_code' AS INTEGER) >= 400 THEN 'error'
        ELSE 'ok'
    END AS outcome,
    answer_finish(body) AS finish_type,
    coalesce(r ->> '$.error.message', body ->> '$.error.message') AS error_text,
    FALSE AS streamed,
    'absent' AS prompt_state,
    CASE WHEN answer_messages(body) IS NULL THEN 'absent' END AS response_state,
    json_object('custom_id', r -> 'custom_id') AS identity,
    json_object('part', 'response', 'custom_id', r -> 'custom_id', 'batch_request_id', r -> 'id') AS detail,
    answer_messages(body) AS response_messages,
    CASE WHEN (r ->> 'custom_id') IS NULL OR (r -> 'response') IS NULL THEN 'not_this_format' END AS reject_reason
FROM given
