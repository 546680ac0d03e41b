-- question: what does Azure API Management's gateway log say of each request?
-- grain: one row per request
-- inputs: raw (line, byte_offset, item, raw): JSON objects, of a CSV all values text
-- keys: CorrelationId, ApimSubscriptionId, ResponseCode | category=GatewayLogs, properties | Category=GatewayLogs, properties
-- evidence: ApiManagementGatewayLogs rows
-- where from: the table ApiManagementGatewayLogs of a Log Analytics workspace (JSON or CSV), or the storage export of the diagnostic setting
-- assumptions: only requests to paths of language models are calls, other APIs behind the same gateway are access records. Joined to
--   azure_apim_llm by the CorrelationId. TotalTime is in milliseconds. Times are UTC, of the request's start. Shapes: formats.md C8
-- cannot say: texts and tokens
-- traps: ApimSubscriptionId names a subscription of API Management, which several tenants may share
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS o,
           coalesce(json_of(cast(raw AS JSON) -> 'properties'), cast(raw AS JSON)) AS p
    FROM raw
),
named AS (
    SELECT byte_offset, item, o, p,
           coalesce(o ->> 'CorrelationId', o ->> 'correlationId', p ->> 'correlationId', p ->> 'CorrelationId') AS correlation,
           coalesce(p ->> 'Url', p ->> 'url') AS url, coalesce(p ->> 'ResponseCode', p ->> 'responseCode') AS code,
           coalesce(p ->> 'BackendUrl', p ->> 'backendUrl') AS backend,
           azure_ns(coalesce(o ->> 'TimeGenerated', o ->> 'TimeGenerated [UTC]', o ->> 'time', o ->> 'Time')) AS at_ns,
           integer_of(coalesce(p -> 'TotalTime', p -> 'totalTime', o -> 'durationMs')) AS total_ms
    FROM given
)
SELECT
    byte_offset, item,
    CASE WHEN regexp_matches(coalesce(url, backend), '/(?:chat/completions|completions|responses|messages|generate)\b') THEN 'client' ELSE 'access' END
        AS kind,
    'whole' AS phase,
    at_ns, at_ns AS received_ns,
    try(at_ns + total_ms * 1000000) AS finished_ns,
    correlation AS call_id,
    nullif(regexp_extract(backend, '^https?://([^/]+)', 1), '') AS worker_address,
    try_cast(code AS INTEGER) AS http_status,
    CASE WHEN try_cast(code AS INTEGER) >= 400 THEN 'error' WHEN try_cast(code AS INTEGER) > 0 THEN 'ok' WHEN code = '0' THEN 'aborted' END
        AS outcome,
    coalesce(p ->> 'LastErrorMessage', p ->> 'lastErrorMessage', p ->> '$.lastError.message') AS error_text,
    'absent' AS prompt_state,
    'absent' AS response_state,
    json_object(
        'ApimSubscriptionId', coalesce(p ->> 'ApimSubscriptionId', p ->> 'apimSubscriptionId'),
        'ProductId', coalesce(p ->> 'ProductId', p ->> 'productId'), 'UserId', coalesce(p ->> 'UserId', p ->> 'userId'),
        'CallerIpAddress', coalesce(p ->> 'CallerIpAddress', o ->> 'callerIpAddress', o ->> 'CallerIpAddress'),
        'ApiId', coalesce(p ->> 'ApiId', p ->> 'apiId')
    ) AS identity,
    json_object('url', url, 'backend', backend, 'total_ms', total_ms) AS detail,
    CASE WHEN correlation IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
