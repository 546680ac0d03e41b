-- question: which models were served by engines that do prompt and answer on one node?
-- grain: one row per model
-- inputs: record
-- assumptions: vLLM whose requests carry no kv_transfer_params, or SGLang with disaggregation_mode null; never where another
--   engine of that model is disaggregated
WITH seen AS (
    SELECT client.model, 'vLLM answered ' || count(DISTINCT client.record_id) || ' of its requests, none with kv_transfer_params' AS why
    FROM record AS client
    INNER JOIN record AS engine ON engine.engine = 'vllm' AND engine.kind = 'engine' AND client.response_id = engine.response_id
    WHERE client.kind = 'client' AND client.model IS NOT NULL
    GROUP BY client.model
    HAVING NOT bool_or(coalesce(try_cast(engine.detail ->> 'kv_transfer_params' AS BOOLEAN), FALSE))
    UNION ALL
    SELECT model, 'its SGLang worker says that it is not disaggregated'
    FROM record
    WHERE disaggregation = 'none' AND model IS NOT NULL
    GROUP BY model
)
SELECT model, min(why) AS why
FROM seen
WHERE model NOT IN (SELECT model FROM record WHERE disaggregation IN ('prefill', 'decode') AND model IS NOT NULL)
GROUP BY model
ORDER BY model
