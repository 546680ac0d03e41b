-- question: which models do clients name, and what do engines call them?
-- grain: one row per model as clients name it
-- inputs: record
-- assumptions: where no gateway tells an upstream model, all clients' names count. A gateway's upstream model without its provider prefix is the engine's name; so is what an engine logged for a
--   response that a client record of that model has
WITH named AS (
    SELECT model AS name,
           regexp_replace(detail ->> 'upstream_model', '^[^/]+/', '') AS alias
    FROM record
    WHERE kind = 'client' AND model IS NOT NULL AND (detail ->> 'upstream_model') IS NOT NULL
    UNION ALL
    SELECT model, NULL
    FROM record
    WHERE kind = 'client' AND model IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM record WHERE kind = 'client' AND (detail ->> 'upstream_model') IS NOT NULL)
    UNION ALL
    SELECT client.model, engine.model
    FROM record AS client
    INNER JOIN record AS engine ON engine.kind = 'engine' AND engine.model IS NOT NULL AND client.response_id = engine.rid
    WHERE client.kind = 'client' AND client.model IS NOT NULL
),
counted AS (
    SELECT name, count(*) AS records, list_sort(list(DISTINCT alias) FILTER (WHERE alias <> name AND alias <> '')) AS aliases
    FROM named
    GROUP BY name
),
figure AS (
    SELECT model, min(context_tokens) AS context_tokens, min(pool_tokens) FILTER (WHERE disaggregation IN ('prefill', 'none')) AS pool_tokens
    FROM record
    WHERE kind IN ('limits', 'start') AND model IS NOT NULL
    GROUP BY model
)
SELECT
    name, coalesce(aliases, []) AS aliases,
    records || ' gateway records name it' || CASE WHEN len(aliases) > 0 THEN '; the engines behind it say ' || array_to_string(aliases, ', ') ELSE '' END
        AS why,
    (SELECT min(context_tokens) FROM figure WHERE figure.model = name OR list_contains(aliases, figure.model)) AS context_tokens,
    (SELECT min(pool_tokens) FROM figure WHERE figure.model = name OR list_contains(aliases, figure.model)) AS pool_tokens
FROM counted
WHERE name NOT IN (SELECT unnest(aliases) FROM counted)
ORDER BY name
