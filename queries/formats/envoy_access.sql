-- question: what does each line of an Envoy or Envoy AI Gateway access log in JSON say?
-- grain: one row per request
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- keys: start_time, response_code, upstream_host | start_time, response_code, response_flags | response_code, upstream_cluster
-- evidence: Envoy's access log fields
-- where from: the file or standard output that Envoy's access log writes to, in llm-d, Envoy AI Gateway, Istio or by itself
-- assumptions: field names are the operator's; read are those of Envoy AI Gateway's and Istio's examples. start_time has a zone,
--   duration is in milliseconds. upstream_host is the decode pod where Envoy itself chooses it (llm-d), else the next router.
--   x-request-id joins it to a router or gateway that keeps it. Paths of no language model are access records. Shapes: formats.md C5
-- cannot say: texts; a tenant, unless a header is logged (all other fields are kept for tenant rules)
-- traps: missing values are null or "-". bytes_received is the body's size before decompression: about 4 bytes a token in English,
--   1.5 to 3 in other scripts
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
),
named AS (
    SELECT byte_offset, item, r, epoch_ns_of(r ->> 'start_time') AS received_ns, try_cast(r ->> 'duration' AS BIGINT) AS duration_ms,
           coalesce(
               r ->> 'x-envoy-origin-path', r ->> 'x-envoy-original-path', r ->> 'request.path', r ->> 'path', r ->> ':path'
           ) AS path,
           coalesce(
               integer_of(r -> 'gen_ai.usage.input_tokens'), integer_of(r -> 'genai_tokens_input'), integer_of(r -> 'llm_input_token')
           ) AS prompt_tokens,
           try_cast(r ->> 'response_code' AS INTEGER) AS status
    FROM given
)
SELECT
    byte_offset, item,
    CASE
        WHEN prompt_tokens IS NOT NULL OR path IS NULL
            OR regexp_matches(path, '/(?:chat/completions|completions|responses|messages|generate)\b') THEN 'router'
        ELSE 'access'
    END AS kind,
    'whole' AS phase,
    received_ns AS at_ns, received_ns,
    try(received_ns + duration_ms * 1000000) AS finished_ns,
    nullif(r ->> 'x-request-id', '-') AS router_request_id,
    nullif(r ->> 'upstream_host', '-') AS worker_address,
    nullif(regexp_extract(r ->> 'x-prefiller-host-port', '^([^:]+)', 1), '') AS bootstrap_host,
    nullif(coalesce(
        r ->> 'gen_ai.request.model', r ->> 'genai_model_name', r ->> 'gen_ai.response.model', r ->> 'genai_model_name_override'
    ), '-') AS model,
    'envoy' AS engine,
    prompt_tokens,
    coalesce(integer_of(r -> 'gen_ai.usage.cache_read.input_tokens'), integer_of(r -> 'genai_tokens_cached_input')) AS cached_tokens,
    coalesce(
        integer_of(r -> 'gen_ai.usage.output_tokens'), integer_of(r -> 'genai_tokens_output'), integer_of(r -> 'llm_output_token')
    ) AS completion_tokens,
    nullif(status, 0) AS http_status,
    CASE
        WHEN regexp_matches(r ->> 'response_flags', '\b(?:DC|DR)\b') THEN 'aborted'
        WHEN status >= 400 THEN 'error'
        WHEN status > 0 THEN 'ok'
        ELSE 'aborted'
    END AS outcome,
    nullif(r ->> 'upstream_transport_failure_reason', '-') AS error_text,
    json_merge_patch(r, '{"authorization": null, "cookie": null, "x-api-key": null, "api-key": null}') AS identity,
    json_object(
        'path', path, 'bytes_received', integer_of(r -> 'bytes_received'), 'bytes_sent', integer_of(r -> 'bytes_sent'),
        'flags', nullif(r ->> 'response_flags', '-'), 'cluster', r ->> 'upstream_cluster', 'route', r ->> 'route_name',
        'upstream_ms', nullif(r ->> 'x-envoy-upstream-service-time', '-')
    ) AS detail,
    CASE WHEN (r ->> 'response_code') IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
