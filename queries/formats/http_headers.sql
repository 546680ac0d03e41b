-- question: which ids do the response headers beside a captured response tell?
-- grain: one row per response head
-- inputs: raw (line, byte_offset, item, raw): one JSON object made by framing: stem, status, headers
-- framing: headers
-- detect: ^HTTP/[\d.]+ \d{3}
-- evidence: an HTTP status line
-- where from: a client's or proxy's capture of response heads, as curl -D writes them, beside the captured bodies
-- assumptions: trace_id 'sse:<stem>' ties it to the body beside it. x-litellm-call-id is the gateway's call id;
--   llm_provider-x-request-id the router's id. The date is the server's, in GMT, to the second
-- cannot say: what was asked and answered; only the first value of a repeated header is kept
-- traps: cookies and authorization are not kept. The date is when the server began to answer, in whole seconds
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'headers' AS h FROM raw
)
SELECT
    byte_offset, item, 'client' AS kind, 'received' AS phase,
    try(epoch_ns(try_strptime(h ->> 'date', '%a, %d %b %Y %H:%M:%S GMT'))) AS at_ns,
    h ->> 'x-litellm-call-id' AS call_id,
    coalesce(h ->> 'llm_provider-x-request-id', h ->> 'x-request-id') AS router_request_id,
    'sse:' || (r ->> 'stem') AS trace_id,
    h ->> 'x-litellm-model-group' AS model,
    try_cast(r ->> 'status' AS INTEGER) AS http_status,
    CASE WHEN try_cast(r ->> 'status' AS INTEGER) >= 400 THEN 'error' END AS outcome,
    json_object('headers', json_merge_patch(h, '{"set-cookie": null, "authorization": null}')) AS identity,
    json_object(
        'stem', r ->> 'stem', 'part', 'headers', 'upstream_model', h ->> 'x-litellm-model-name',
        'api_base', h ->> 'x-litellm-model-api-base'
    ) AS detail
FROM given
