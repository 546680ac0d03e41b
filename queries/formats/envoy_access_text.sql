-- question: what does each line of an Envoy access log in its default text format say?
-- grain: one row per request
-- inputs: raw (line, byte_offset, item, raw): lines
-- framing: text
-- detect: ^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z\] "[A-Z]+ \S+ [^"]*" \d+ \S+ 
-- evidence: Envoy's default access log lines
-- where from: the standard output of Envoy, Istio's proxies among them, where no format was set
-- assumptions: fields in the order of Envoy's default format; Istio puts response code details, connection termination and transport
--   failure between the flags and the bytes. Times are UTC, duration is in milliseconds. Otherwise as envoy_access
-- cannot say: texts, tokens, model, tenant
-- traps: as envoy_access
WITH line AS (
    SELECT byte_offset, item,
           regexp_extract(
               raw,
               '^\[([^\]]+)\] "([A-Z]+) (\S+) [^"]*" (\d+) (\S+) (?:\S+ \S+ "[^"]*" )?(\d+) (\d+) (\d+) (\S+) "([^"]*)" "([^"]*)" "([^"]*)" "([^"]*)" "([^"]*)"',
               ['stamp', 'method', 'path', 'status', 'flags', 'received', 'sent', 'duration', 'upstream_ms', 'forwarded', 'agent', 'id',
                'authority', 'upstream']
           ) AS f
    FROM raw
),
named AS (
    SELECT *, epoch_ns_of(f.stamp) AS received_ns, try_cast(nullif(f.status, '') AS INTEGER) AS status FROM line
)
SELECT
    byte_offset, item,
    CASE WHEN regexp_matches(f.path, '/(?:chat/completions|completions|responses|messages|generate)\b') THEN 'router' ELSE 'access' END AS kind,
    'whole' AS phase,
    received_ns AS at_ns, received_ns,
    try(received_ns + try_cast(nullif(f.duration, '') AS BIGINT) * 1000000) AS finished_ns,
    nullif(f.id, '-') AS router_request_id,
    nullif(f.upstream, '-') AS worker_address,
    'envoy' AS engine,
    nullif(status, 0) AS http_status,
    CASE
        WHEN regexp_matches(f.flags, '\b(?:DC|DR)\b') OR status = 0 THEN 'aborted'
        WHEN status >= 400 THEN 'error'
        ELSE 'ok'
    END AS outcome,
    json_object('x-forwarded-for', nullif(f.forwarded, '-'), 'user-agent', nullif(f.agent, '-'), ':authority', nullif(f.authority, '-')) AS identity,
    json_object(
        'path', f.path, 'bytes_received', try_cast(nullif(f.received, '') AS BIGINT), 'bytes_sent', try_cast(nullif(f.sent, '') AS BIGINT),
        'flags', nullif(f.flags, '-'), 'upstream_ms', nullif(f.upstream_ms, '-')
    ) AS detail,
    CASE WHEN f.stamp = '' THEN 'foreign_line' END AS reject_reason
FROM named
