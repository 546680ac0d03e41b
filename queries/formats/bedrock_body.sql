-- question: what stands in a body that Amazon Bedrock's invocation log keeps beside its records?
-- grain: one row per body
-- inputs: raw (line, byte_offset, item, raw): JSON objects, with _stem added by framing where the file is one document
-- framing: body
-- path: (?:^|/)data/[^/]+_(?:input|output)\.json(?:\.(?:gz|zst))?$
-- evidence: an object below data/ named _input.json or _output.json
-- where from: the same bucket as the invocation log, below data/: bodies beyond 100 KB
-- assumptions: the file's name says which record it belongs to (trace_id 'bedrock:<name>') and which side it is
-- cannot say: anything but the body
-- traps: it must keep its name: a renamed file is tied to no record
WITH given AS (
    SELECT byte_offset, item, json_of(cast(raw AS JSON)) AS r,
           regexp_extract(cast(raw AS JSON) ->> '_stem', '([^/]+)_(input|output)$', ['name', 'side']) AS place
    FROM raw
),
bodies AS (
    SELECT *, place.side = 'input' AS is_prompt FROM given
)
SELECT
    byte_offset, item, 'client' AS kind,
    CASE WHEN is_prompt THEN 'received' ELSE 'whole' END AS phase,
    'bedrock:' || nullif(place.name, '') AS trace_id,
    'bedrock' AS engine,
    CASE WHEN NOT is_prompt THEN usage_prompt(r -> 'usage') END AS prompt_tokens,
    CASE WHEN NOT is_prompt THEN usage_completion(r -> 'usage') END AS completion_tokens,
    CASE WHEN NOT is_prompt THEN answer_finish(r) END AS finish_type,
    CASE WHEN NOT is_prompt OR asked_messages(r) IS NULL AND asked_text(r) IS NULL THEN 'absent' END AS prompt_state,
    CASE WHEN is_prompt OR answer_messages(r) IS NULL AND answer_text(r) IS NULL THEN 'absent' END AS response_state,
    json_object('part', CASE WHEN is_prompt THEN 'request' ELSE 'response' END, 'name', place.name) AS detail,
    CASE WHEN is_prompt THEN asked_messages(r) END AS prompt_messages,
    CASE WHEN is_prompt AND asked_messages(r) IS NULL THEN asked_text(r) END AS prompt_text,
    CASE WHEN NOT is_prompt THEN answer_messages(r) END AS response_messages,
    CASE WHEN NOT is_prompt AND answer_messages(r) IS NULL THEN answer_text(r) END AS response_text,
    CASE WHEN place.side = '' THEN 'not_this_format' END AS reject_reason
FROM bodies
