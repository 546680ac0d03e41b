-- question: what do gateway records say about who called?
-- grain: one row per gateway record
-- inputs: record
-- assumptions: a gateway knows best; without one, the captured requests and spans serve
WITH told AS (
    SELECT record_id, kind, identity,
           kind = 'client' AND regexp_matches(format, '^(litellm|azure_apim|bedrock|cloudflare|helicone)_') AS is_gateway
    FROM record
)
SELECT cast(identity AS VARCHAR) AS identity
FROM told
WHERE kind = 'client' AND identity IS NOT NULL
  AND (is_gateway OR NOT (SELECT bool_or(is_gateway) FROM told))
ORDER BY record_id
