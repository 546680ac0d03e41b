-- question: what did a captured request body ask?
-- grain: one row per body
-- inputs: raw (line, byte_offset, item, raw): JSON objects with _stem added by framing
-- framing: document
-- detect: ^\s*\{(?=[\s\S]*"messages": ?\[)(?=[\s\S]*"model": ?")(?![\s\S]*"litellm_call_id")
-- evidence: a JSON document with model and messages
-- assumptions: trace_id 'sse:<stem>' ties it to the response beside it; the body itself has no id and no time
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
)
SELECT
    byte_offset, item, 'client' AS kind, 'received' AS phase,
    'sse:' || (r ->> '_stem') AS trace_id,
    lone(r -> 'rid') AS rid,
    lone(r -> 'bootstrap_room') AS room,
    r ->> 'model' AS model,
    try_cast(r ->> 'stream' AS BOOLEAN) AS streamed,
    'absent' AS response_state,
    json_merge_patch(
        r, '{"messages": null, "tools": null, "functions": null, "prompt": null, "input": null, "_stem": null, "system": null}'
    ) AS identity,
    json_object('stem', r ->> '_stem', 'part', 'request') AS detail,
    CASE
        WHEN json_type(r -> 'system') = 'VARCHAR'
            THEN cast(list_concat(
                [cast(json_object('role', 'system', 'content', r -> 'system') AS JSON)], json_extract(r, '$.messages[*]')
            ) AS JSON)
        ELSE r -> 'messages'
    END AS prompt_messages,
    text_of(r -> 'prompt') AS prompt_text,
    CASE WHEN (r -> 'messages') IS NULL AND (r -> 'prompt') IS NULL THEN 'not_this_format' END AS reject_reason
FROM given
