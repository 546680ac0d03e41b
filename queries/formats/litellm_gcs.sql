-- question: what does each object say that LiteLLM's first logger to GCS wrote (2024-08 to 2024-09)?
-- grain: one row per object: one call as the gateway saw it
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- keys: request_kwargs, response_obj, start_time
-- evidence: LiteLLM's objects with request_kwargs and response_obj
-- where from: a GCS bucket that a LiteLLM proxy of August or September 2024 logged to; later ones hold litellm_payload
-- assumptions: the id of response_obj is what the client saw. Times are the proxy's local time, of whole seconds. The identity is laid out
--   as litellm_payload has it, so the same tenant rules work. Shapes: BerriAI/litellm pull requests 5047, 5169, 5200
-- cannot say: first byte, an id of a call that failed, HTTP status; which router or worker answered
-- traps: spend_log_metadata is JSON, or JSON as text. A call that failed has an empty response_obj
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'request_kwargs' AS asked, cast(raw AS JSON) -> 'response_obj' AS answered,
           json_of(cast(raw AS JSON) -> 'spend_log_metadata') AS metadata
    FROM raw
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    stamp_ns(r ->> 'start_time') AS at_ns,
    TRUE AS at_is_local,
    answered ->> 'id' AS response_id,
    coalesce(asked ->> 'model', answered ->> 'model') AS model,
    'litellm' AS engine,
    usage_prompt(answered -> 'usage') AS prompt_tokens,
    usage_cached(answered -> 'usage') AS cached_tokens,
    usage_completion(answered -> 'usage') AS completion_tokens,
    CASE WHEN (r ->> 'exception') IS NOT NULL OR (r ->> 'log_event_type') = 'failed_api_call' THEN 'error' ELSE 'ok' END AS outcome,
    answer_finish(answered) AS finish_type,
    r ->> 'exception' AS error_text,
    CASE WHEN asked_messages(asked) IS NULL AND asked_text(asked) IS NULL THEN 'absent' END AS prompt_state,
    CASE WHEN answer_messages(answered) IS NULL AND answer_text(answered) IS NULL THEN 'absent' END AS response_state,
    json_object(
        'metadata', json_merge_patch(
            metadata, json_object('user_api_key', NULL, 'user_api_key_hash', metadata ->> 'user_api_key')
        ),
        'user', asked -> '$.optional_params.user'
    ) AS identity,
    json_object('end_time', r ->> 'end_time') AS detail,
    asked_messages(asked) AS prompt_messages,
    CASE WHEN asked_messages(asked) IS NULL THEN asked_text(asked) END AS prompt_text,
    answer_messages(answered) AS response_messages,
    CASE WHEN answer_messages(answered) IS NULL THEN answer_text(answered) END AS response_text,
    CASE WHEN (r ->> 'start_time') IS NULL OR json_type(asked) IS DISTINCT FROM 'OBJECT' THEN 'not_this_format' END AS reject_reason
FROM given
