-- question: what did each line of a batch's input file ask?
-- grain: one row per request of the batch
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- keys: custom_id, method, url, body | custom_id, body, !response
-- evidence: JSON lines with custom_id and body
-- where from: the file that was given to OpenAI's Batch API, vllm run-batch or SGLang's batch endpoint
-- assumptions: trace_id 'batch:<custom_id>' ties it to the output. Shapes: formats.md C10
-- cannot say: when it was asked, what was answered
-- traps: a custom_id is unique within one batch only: where two batches use the same, neither input is tied to an output
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'body' AS body FROM raw
)
SELECT
    byte_offset, item, 'client' AS kind, 'received' AS phase,
    'batch:' || (r ->> 'custom_id') AS trace_id,
    body ->> 'model' AS model,
    CASE WHEN asked_messages(body) IS NULL AND asked_text(body) IS NULL THEN 'absent' END AS prompt_state,
    'absent' AS response_state,
    json_object('custom_id', r -> 'custom_id', 'user', body -> 'user', 'metadata', body -> 'metadata') AS identity,
    json_object('part', 'request', 'custom_id', r -> 'custom_id', 'url', r -> 'url') AS detail,
    asked_messages(body) AS prompt_messages,
    CASE WHEN asked_messages(body) IS NULL THEN asked_text(body) END AS prompt_text,
    CASE WHEN (r ->> 'custom_id') IS NULL OR json_type(body) IS DISTINCT FROM 'OBJECT' THEN 'not_this_format' END AS reject_reason
FROM given
