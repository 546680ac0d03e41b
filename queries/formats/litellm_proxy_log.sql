-- question: what does each line of the LiteLLM proxy's stdout say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): lines without terminal colours, plain or JSON
-- framing: text
-- detect: ^(?!\s*["{\[]).*(?:LiteLLM(?: Proxy| Router|\.\w+)?:|\blitellm\.(?:proxy|router)\.|/litellm/proxy/|\blitellm_call_id=)|^(?=.*(?:LiteLLM|\blitellm\.(?:proxy|router)\.|/litellm/proxy/|litellm_call_id))\{"message": ?"(?:[^"\\]|\\.)*+", ?"level": ?"[A-Z]+", ?"timestamp": ?"\d{4}-
-- evidence: lines that name the proxy's own loggers or modules
-- where from: standard output of the LiteLLM proxy, as text or with json_logs
-- assumptions: its stamps as text have no date and are not used; in JSON they are local time. Errors name the call that failed, which
--   its payload tells better; the rest (banner, tracebacks) is kept as notes, so that nothing of the file is lost. What a
--   program that only calls LiteLLM as a library writes is not taken for the proxy's. Shapes: litellm/_logging.py
-- cannot say: dates (as text), tenants, tokens, texts
-- traps: nothing joins its access lines to calls
WITH line AS (
    SELECT byte_offset, item, raw, CASE WHEN starts_with(raw, '{') AND json_valid(raw) THEN cast(raw AS JSON) END AS r FROM raw
),
said AS (
    SELECT byte_offset, item, coalesce(r ->> 'message', raw) AS message, r ->> 'timestamp' AS stamp,
           regexp_extract(coalesce(r ->> 'message', raw), '^(?:INFO: +)?\S+:\d+ - "\S+ .* HTTP/[\d.]+" (\d{3})', 1) AS status,
           (r ->> 'level') = 'ERROR' OR regexp_matches(raw, 'LiteLLM[^:]*:ERROR: ') AS failed,
           regexp_extract(raw, 'litellm_call_id\W{1,5}([0-9a-f-]{36})', 1) AS call_id
    FROM line
)
SELECT
    byte_offset, item,
    CASE WHEN status <> '' THEN 'access' ELSE 'note' END AS kind,
    stamp_ns(stamp) AS at_ns,
    stamp IS NOT NULL AS at_is_local,
    nullif(call_id, '') AS call_id,
    'litellm' AS engine,
    try_cast(nullif(status, '') AS INTEGER) AS http_status,
    CASE WHEN failed THEN substr(message, 1, 2000) END AS error_text,
    json_object('message', substr(message, 1, 200)) AS detail
FROM said
