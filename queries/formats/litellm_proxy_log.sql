-- question: what does each line of the LiteLLM proxy's stdout say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): lines without terminal colours
-- framing: text
-- detect: ^(?!\s*["{\[]).*(?:LiteLLM(?: Proxy| Router)?:|\blitellm\.|\blitellm_call_id=)
-- evidence: lines that name LiteLLM
-- where from: standard output of the LiteLLM proxy
-- assumptions: its stamps have no date and are not used. Errors name the call that failed, which its payload tells better; the
--   rest (banner, tracebacks) is kept as notes, so that nothing of the file is lost
-- cannot say: dates, tenants, tokens, texts
-- traps: nothing joins its access lines to calls
SELECT
    byte_offset, item,
    CASE WHEN regexp_matches(raw, '^INFO: +\S+ - "\S+ .* HTTP/[\d.]+" \d{3}') THEN 'access' ELSE 'note' END AS kind,
    nullif(regexp_extract(raw, 'litellm_call_id=([0-9a-f-]{36})', 1), '') AS call_id,
    'litellm' AS engine,
    try_cast(nullif(regexp_extract(raw, '^INFO: +\S+ - "\S+ .* HTTP/[\d.]+" (\d{3})', 1), '') AS INTEGER) AS http_status,
    CASE WHEN regexp_matches(raw, 'LiteLLM[^:]*:ERROR: ') THEN substr(raw, 1, 2000) END AS error_text,
    json_object('message', substr(raw, 1, 200)) AS detail
FROM raw
