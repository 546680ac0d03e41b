-- question: what does each event of Cloudflare AI Gateway's Logpush dataset say?
-- grain: one row per event: one call as the gateway saw it
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- keys: Gateway, Endpoint, RequestBody, ResponseBody | Gateway, Endpoint, Metrics, Provider
-- evidence: ai_gateway_events records
-- where from: a Logpush job of the dataset ai_gateway_events
-- assumptions: bodies of type encrypted are there, but need the customer's private key: they are encrypted, not missing. Bodies that
--   were decrypted before are read. Timestamp is RFC 3339, or epoch seconds, milliseconds or nanoseconds, as the job was set.
--   Shapes: formats.md C6
-- cannot say: an id of the call, so that nothing joins it but its text and time; token counts; first byte
-- traps: with cf-aig-collect-log-payload: false there are no bodies. A cached answer called no provider
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) ->> 'Timestamp' AS stamp,
           json_of(cast(raw AS JSON) -> 'RequestBody') AS asked, json_of(cast(raw AS JSON) -> 'ResponseBody') AS answered
    FROM raw
),
streams AS MATERIALIZED (
    SELECT *, (asked ->> 'type') = 'encrypted' AS asked_sealed, (answered ->> 'type') = 'encrypted' AS answered_sealed,
           CASE WHEN regexp_matches(text_of(answered), '^\s*(?:data|event|:)') THEN sse_events(text_of(answered)) END AS events
    FROM given
),
told AS MATERIALIZED (
    SELECT *, stream_messages(stream_pieces(events)) AS streamed_messages, stream_told(events) AS told FROM streams
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    CASE
        WHEN try_cast(stamp AS BIGINT) >= 100000000000000 THEN try_cast(stamp AS BIGINT)
        WHEN try_cast(stamp AS BIGINT) >= 100000000000 THEN try_cast(stamp AS BIGINT) * 1000000
        ELSE epoch_ns_of(stamp)
    END AS at_ns,
    coalesce(CASE WHEN NOT answered_sealed OR answered_sealed IS NULL THEN answered ->> 'id' END, told.response_id) AS response_id,
    coalesce(r ->> 'Model', r ->> 'RequestedModel') AS model,
    'cloudflare' AS engine,
    coalesce(usage_prompt(answered -> 'usage'), told.prompt_tokens) AS prompt_tokens,
    coalesce(usage_completion(answered -> 'usage'), told.completion_tokens) AS completion_tokens,
    try_cast(r ->> 'StatusCode' AS INTEGER) AS http_status,
    CASE WHEN try_cast(r ->> 'StatusCode' AS INTEGER) >= 400 THEN 'error' ELSE 'ok' END AS outcome,
    coalesce(answer_finish(answered), told.finish) AS finish_type,
    CASE
        WHEN asked_sealed THEN 'encrypted'
        WHEN asked_messages(asked) IS NULL AND asked_text(asked) IS NULL THEN 'absent'
    END AS prompt_state,
    CASE
        WHEN answered_sealed THEN 'encrypted'
        WHEN events IS NOT NULL AND told.finish IS NULL THEN 'truncated'
        WHEN coalesce(streamed_messages, answer_messages(answered)) IS NULL AND answer_text(answered) IS NULL THEN 'absent'
    END AS response_state,
    json_object('metadata', json_of(r -> 'Metadata'), 'gateway', r -> 'Gateway') AS identity,
    json_object(
        'endpoint', r ->> 'Endpoint', 'provider', r ->> 'Provider', 'cached', r -> 'Cached', 'duration_ms', r -> '$.Metrics.durationMs',
        'routing', r ->> 'RoutingDecisionID', 'rate_limited', r -> 'RateLimited'
    ) AS detail,
    asked_messages(asked) AS prompt_messages,
    CASE WHEN asked_messages(asked) IS NULL AND asked_sealed IS DISTINCT FROM TRUE THEN asked_text(asked) END AS prompt_text,
    CASE WHEN answered_sealed IS DISTINCT FROM TRUE THEN coalesce(streamed_messages, answer_messages(answered)) END AS response_messages,
    CASE
        WHEN answered_sealed IS DISTINCT FROM TRUE AND events IS NULL AND answer_messages(answered) IS NULL THEN answer_text(answered)
    END AS response_text,
    CASE WHEN (r ->> 'Gateway') IS NULL THEN 'not_this_format' END AS reject_reason
FROM told
