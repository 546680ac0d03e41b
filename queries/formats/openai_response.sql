-- question: what did a captured response body answer?
-- grain: one row per body
-- inputs: raw (line, byte_offset, item, raw): JSON objects; a file that is one body has _stem added by framing
-- framing: body
-- keys: object=chat.completion, choices | object=text_completion, usage, usage!=null | object=response, output
--   | type=message, role=assistant, content | object=error, message
--   | error, error!=null, !data, !id, !custom_id, !request, !response, !level, !message, !msg, !time, !timestamp, !ts
-- evidence: a whole response body (choices, output, content or error)
-- where from: a client's or proxy's capture of answers that were not streamed: OpenAI chat, completions and Responses, Anthropic
--   Messages, as SGLang, vLLM and gateways give them
-- assumptions: id is what the client saw: for SGLang the decode rid. trace_id 'sse:<stem>' ties the body of a file of its own to the
--   request beside it. A vLLM body with kv_transfer_params is what a prefill handed to the proxy, no client saw it: it tells
--   the prefill's host and the tokens that were transferred. Shapes: formats.md A3, B2, D
-- cannot say: who called and what was asked; only the time of creation in whole seconds
-- traps: vLLM's ids of one request end in 8 other hex digits on prefill and decode. Cached tokens are only there where the engine
--   was told to report them
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'usage' AS usage, cast(raw AS JSON) -> 'kv_transfer_params' AS handed
    FROM raw
)
SELECT
    byte_offset, item,
    CASE WHEN json_type(handed) = 'OBJECT' THEN 'engine' ELSE 'client' END AS kind,
    'whole' AS phase,
    epoch_ns_of(coalesce(r ->> 'created', r ->> 'created_at')) AS at_ns,
    CASE WHEN json_type(handed) IS DISTINCT FROM 'OBJECT' THEN r ->> 'id' END AS response_id,
    CASE WHEN json_type(handed) = 'OBJECT' THEN coalesce(handed ->> 'remote_request_id', r ->> 'id') END AS rid,
    'sse:' || (r ->> '_stem') AS trace_id,
    CASE WHEN try_cast(handed ->> 'do_remote_prefill' AS BOOLEAN) THEN 'prefill' END AS role,
    handed ->> 'remote_host' AS bootstrap_host,
    handed ->> 'remote_port' AS bootstrap_port,
    r ->> 'model' AS model,
    CASE WHEN json_type(handed) = 'OBJECT' THEN 'vllm' END AS engine,
    usage_prompt(usage) AS prompt_tokens,
    usage_cached(usage) AS cached_tokens,
    usage_completion(usage) AS completion_tokens,
    try_cast(coalesce(r ->> '$.error.code', CASE WHEN (r ->> 'object') = 'error' THEN r ->> 'code' END) AS INTEGER) AS http_status,
    CASE WHEN json_type(r -> 'error') IN ('OBJECT', 'VARCHAR') OR (r ->> 'object') = 'error' THEN 'error' ELSE 'ok' END AS outcome,
    answer_finish(r) AS finish_type,
    coalesce(r ->> '$.error.message', text_of(r -> 'error'), CASE WHEN (r ->> 'object') = 'error' THEN r ->> 'message' END) AS error_text,
    FALSE AS streamed,
    'absent' AS prompt_state,
    json_object(
        'stem', r ->> '_stem', 'part', 'response', 'time_is', 'created', 'remote_engine_id', handed ->> 'remote_engine_id',
        'transferred_tokens', integer_of(handed -> 'remote_num_tokens'), 'remote_blocks', handed -> 'remote_block_ids',
        'weight_version', r ->> '$.metadata.weight_version'
    ) AS detail,
    CASE WHEN (r ->> 'object') IS DISTINCT FROM 'error' THEN answer_messages(r) END AS response_messages,
    CASE
        -- A message of a prompt has content too, and many an answer of other programs an error that is null.
        WHEN json_type(r -> 'choices') IS DISTINCT FROM 'ARRAY' AND json_type(r -> 'output') IS DISTINCT FROM 'ARRAY'
            AND NOT coalesce((r ->> 'role') = 'assistant' AND (r ->> 'type') = 'message', FALSE) AND (r ->> 'object') IS DISTINCT FROM 'error'
            AND coalesce(json_type(r -> 'error'), 'NULL') NOT IN ('OBJECT', 'VARCHAR')
            THEN 'not_this_format'
    END AS reject_reason
FROM given
