-- question: what does each line of the router's JSON log (tracing-subscriber's json layer) say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json lines
-- detect: ^\{.*"target": ?"(?:smg|sglang_router|sgl_model_gateway|vllm_router)
-- evidence: JSON lines whose target is the router
-- where from: the same routers with JSON logging
-- assumptions: as router_smg; event fields are flattened beside `span` (tracing-subscriber's own shape, not seen live)
-- cannot say: as router_smg
-- traps: as router_smg
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
),
named AS (
    SELECT byte_offset, item, r, r -> 'span' AS span, coalesce(r ->> 'message', r ->> '$.fields.message') AS message,
           coalesce(r ->> '$.span.request_id', r ->> 'request_id', r ->> '$.fields.request_id') AS request_id,
           try_cast(coalesce(r ->> '$.span.status_code', r ->> 'status_code', r ->> '$.fields.status_code') AS INTEGER) AS status,
           try_cast(coalesce(r ->> '$.span.latency', r ->> 'latency', r ->> '$.fields.latency') AS BIGINT) AS latency,
           regexp_extract(coalesce(r ->> 'decode_url', r ->> '$.fields.decode_url'), '^https?://([^\s/]+)', 1) AS decode_address,
           regexp_extract(coalesce(r ->> 'prefill_url', r ->> '$.fields.prefill_url'), '^https?://([^\s/]+)', 1) AS prefill_address
    FROM given
)
SELECT
    byte_offset, item,
    CASE
        WHEN contains(message, 'mode: PrefillDecode') OR contains(message, 'Starting router on') THEN 'topology'
        WHEN request_id IS NULL THEN 'note'
        WHEN (span ->> 'uri') IN ('/health', '/readiness', '/liveness', '/health_generate', '/metrics', '/v1/models') THEN 'access'
        ELSE 'router'
    END AS kind,
    CASE
        WHEN request_id IS NULL THEN NULL
        WHEN message LIKE 'started processing%' THEN 'received'
        WHEN status IS NOT NULL THEN 'finished'
    END AS phase,
    epoch_ns_of(r ->> 'timestamp') AS at_ns,
    try(latency * 1000) AS latency_ns,
    request_id AS router_request_id,
    CASE WHEN decode_address <> '' THEN 'decode' WHEN prefill_address <> '' THEN 'prefill' END AS role,
    coalesce(nullif(decode_address, ''), nullif(prefill_address, '')) AS worker_address,
    'smg' AS engine,
    status AS http_status,
    CASE WHEN status >= 400 OR (r ->> 'level') = 'ERROR' THEN 'error' WHEN status IS NOT NULL THEN 'ok' END AS outcome,
    CASE WHEN (r ->> 'level') = 'ERROR' THEN message END AS error_text,
    json_object(
        'level', r ->> 'level', 'uri', span ->> 'uri', 'message', substr(message, 1, 2000), 'prefill', nullif(prefill_address, ''),
        'decode', nullif(decode_address, '')
    ) AS detail,
    CASE WHEN (r ->> 'target') IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
