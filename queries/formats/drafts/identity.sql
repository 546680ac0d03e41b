-- question: what do gateway records say about who called?
-- grain: one row per gateway record
-- inputs: record
-- assumptions: a gateway knows best; without one, the captured requests and spans serve
SELECT cast(identity AS VARCHAR) AS identity
FROM record
WHERE kind = 'client' AND identity IS NOT NULL
  AND (format = 'litellm_payload' OR NOT EXISTS (SELECT 1 FROM record WHERE format = 'litellm_payload'))
ORDER BY record_id
