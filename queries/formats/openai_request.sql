-- question: what did a captured request body ask?
-- grain: one row per body
-- inputs: raw (line, byte_offset, item, raw): JSON objects; a file that is one body has _stem added by framing
-- framing: body
-- keys: model, messages, !choices, !call_type, !response, !request, !completion, !output | model, prompt, !choices, !response, !response_body, !completion, !output, !answer
--   | model, input, !output, !outputs, !object, !type, !provided_model_name | text, sampling_params | input_ids, sampling_params
-- evidence: a request body (model with messages, prompt or input; SGLang's sampling_params)
-- where from: a client's or proxy's capture of request bodies, one per file or one per line: OpenAI chat, completions and Responses,
--   Anthropic Messages, SGLang /generate, vLLM with kv_transfer_params
-- assumptions: trace_id 'sse:<stem>' ties the body of a file of its own to the response beside it. A body that a proxy sends to a
--   prefill (vLLM: do_remote_decode) or decode (do_remote_prefill) is the engine's view, not the client's. Shapes: formats.md A3, B2, D
-- cannot say: when it was sent, and what came back; bodies that stand together on lines have no tie to their answers
-- traps: rid and bootstrap_room may be set by the caller or by a router. cache_salt may serve as the tenant
WITH given AS MATERIALIZED (
    SELECT byte_offset, item, asked_messages(cast(raw AS JSON)) AS prompt_messages, asked_text(cast(raw AS JSON)) AS prompt_text,
           json_type(coalesce(cast(raw AS JSON) -> 'input_ids', cast(raw AS JSON) -> 'prompt')) AS ids,
           coalesce(
               cast(raw AS JSON) -> 'messages', cast(raw AS JSON) -> 'prompt', cast(raw AS JSON) -> 'input', cast(raw AS JSON) -> 'text',
               cast(raw AS JSON) -> 'input_ids'
           ) IS NOT NULL AS asks,
           json_merge_patch(
               raw,
               '{"messages": null, "tools": null, "functions": null, "prompt": null, "input": null, "system": null,
                 "instructions": null, "text": null, "input_ids": null}'
           ) AS r
    FROM raw
),
named AS (
    SELECT *, r -> 'kv_transfer_params' AS handed FROM given
)
SELECT
    byte_offset, item,
    CASE WHEN json_type(handed) = 'OBJECT' THEN 'engine' ELSE 'client' END AS kind,
    'received' AS phase,
    'sse:' || (r ->> '_stem') AS trace_id,
    coalesce(lone(r -> 'rid'), handed ->> 'remote_request_id') AS rid,
    lone(r -> 'bootstrap_room') AS room,
    CASE
        WHEN try_cast(handed ->> 'do_remote_prefill' AS BOOLEAN) THEN 'decode'
        WHEN try_cast(handed ->> 'do_remote_decode' AS BOOLEAN) THEN 'prefill'
    END AS role,
    coalesce(lone(r -> 'bootstrap_host'), handed ->> 'remote_host') AS bootstrap_host,
    coalesce(lone(r -> 'bootstrap_port'), handed ->> 'remote_port') AS bootstrap_port,
    CASE WHEN json_type(handed) = 'OBJECT' THEN 'vllm' END AS engine,
    r ->> 'model' AS model,
    try_cast(r ->> 'stream' AS BOOLEAN) AS streamed,
    CASE
        WHEN prompt_messages IS NULL AND prompt_text IS NULL THEN CASE WHEN ids = 'ARRAY' THEN 'token_ids' ELSE 'absent' END
    END AS prompt_state,
    'absent' AS response_state,
    json_merge_patch(r, '{"_stem": null, "kv_transfer_params": null}') AS identity,
    json_object(
        'stem', r ->> '_stem', 'part', 'request', 'remote_engine_id', handed ->> 'remote_engine_id',
        'transferred_tokens', integer_of(handed -> 'remote_num_tokens')
    ) AS detail,
    prompt_messages,
    CASE WHEN prompt_messages IS NULL THEN prompt_text END AS prompt_text,
    CASE WHEN NOT asks THEN 'not_this_format' END AS reject_reason
FROM named
