-- question: what does each entry of Cloudflare AI Gateway's log list say?
-- grain: one row per entry: one call as the gateway saw it
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- keys: id, created_at, provider, model, tokens_in, tokens_out
-- evidence: entries of /ai-gateway/gateways/{id}/logs
-- where from: Cloudflare's API: the log list of a gateway, as answered or its result list alone
-- assumptions: duration is in milliseconds. Bodies are fetched one by one from the API; where an export put them beside the entry as
--   request and response, they are read, and so are the heads of a single entry's answer where they hold all. Shapes: formats.md C6
-- cannot say: texts, unless they were fetched too; first byte
-- traps: the list is paged, and old entries are dropped once the gateway's limit is reached. A cached answer called no provider
WITH given AS (
    SELECT byte_offset, item, r, json_of(coalesce(r -> 'request', CASE WHEN asked_whole THEN r -> 'request_head' END)) AS asked,
           json_of(coalesce(r -> 'response', CASE WHEN answered_whole THEN r -> 'response_head' END)) AS answered
    FROM (
        SELECT byte_offset, item, cast(raw AS JSON) AS r, try_cast(cast(raw AS JSON) ->> 'request_head_complete' AS BOOLEAN) AS asked_whole,
               try_cast(cast(raw AS JSON) ->> 'response_head_complete' AS BOOLEAN) AS answered_whole
        FROM raw
    )
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    epoch_ns_of(r ->> 'created_at') AS at_ns,
    answered ->> 'id' AS response_id,
    r ->> 'id' AS call_id,
    r ->> 'model' AS model,
    'cloudflare' AS engine,
    integer_of(r -> 'tokens_in') AS prompt_tokens,
    integer_of(r -> 'tokens_out') AS completion_tokens,
    try_cast(r ->> 'status_code' AS INTEGER) AS http_status,
    CASE
        WHEN try_cast(r ->> 'success' AS BOOLEAN) IS FALSE OR try_cast(r ->> 'status_code' AS INTEGER) >= 400 THEN 'error'
        ELSE 'ok'
    END AS outcome,
    answer_finish(answered) AS finish_type,
    CASE WHEN asked_messages(asked) IS NULL AND asked_text(asked) IS NULL THEN 'absent' END AS prompt_state,
    CASE WHEN answer_messages(answered) IS NULL AND answer_text(answered) IS NULL THEN 'absent' END AS response_state,
    json_object('metadata', json_of(r -> 'metadata')) AS identity,
    json_object(
        'provider', r ->> 'provider', 'path', r ->> 'path', 'cached', r -> 'cached', 'duration_ms', r -> 'duration', 'step', r -> 'step',
        'engine_called', NOT coalesce(try_cast(r ->> 'cached' AS BOOLEAN), FALSE)
    ) AS detail,
    asked_messages(asked) AS prompt_messages,
    CASE WHEN asked_messages(asked) IS NULL THEN asked_text(asked) END AS prompt_text,
    answer_messages(answered) AS response_messages,
    CASE WHEN answer_messages(answered) IS NULL THEN answer_text(answered) END AS response_text,
    CASE WHEN (r ->> 'id') IS NULL OR (r ->> 'created_at') IS NULL THEN 'not_this_format' END AS reject_reason
FROM given
