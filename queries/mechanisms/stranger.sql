-- question: Which exchanges may have gone to a prefill worker that none of our logs is of?
-- grain: one row per exchange whose prefill half and prefill worker are not known, where that may be so
-- inputs: exchange, engine_record, prefill_host, worker, worker_declared, model_pair, model_name, record
-- assumptions: a host that decode's record or the router's topology names for prefill, and that is no known worker's, is one
--   whose logs are missing; so is the worker of an exchange that decode took while every prefill log that we have shows
--   single requests, and none shows this one.
WITH unplaced AS (
    SELECT exchange_id, model, bootstrap_host, decode_id
    FROM exchange
    WHERE prefill_id IS NULL AND prefill_worker IS NULL AND backend != 'not_disaggregated'
),

known_host AS (
    SELECT host FROM prefill_host
    UNION
    SELECT split_part(address, ':', 1) FROM worker WHERE address IS NOT NULL
    UNION
    SELECT split_part(address, ':', 1) FROM worker_declared
),

topology AS (
    SELECT DISTINCT unnest(regexp_extract_all(
        regexp_extract(json_extract_string(detail, '$.message'), 'prefill_urls: \[(.*?)\], decode_urls', 1), 'https?://([^:/"\\]+)', 1
    )) AS host
    FROM record
    WHERE kind = 'topology'
),

named AS (
    SELECT host FROM topology
    UNION
    SELECT bootstrap_host FROM engine_record WHERE bootstrap_host IS NOT NULL AND role IS DISTINCT FROM 'prefill'
),

missing AS (
    -- a host that is not known may be one of our own workers whose host is not known; one more than those cannot
    SELECT CASE WHEN count(*) > (SELECT count(*) FROM worker WHERE role = 'prefill' AND worker NOT IN (SELECT worker FROM prefill_host))
        THEN min(host) END AS host
    FROM (SELECT DISTINCT host FROM named WHERE host NOT IN (SELECT host FROM known_host))
),

logging AS (
    SELECT DISTINCT coalesce(m.client_model, n.name, w.model, '') AS model
    FROM worker AS w
    LEFT JOIN model_pair AS m ON m.engine_model = w.model
    LEFT JOIN model_name AS n ON n.alias = w.model
    WHERE w.role = 'prefill' AND w.worker IN (SELECT worker FROM engine_record WHERE kind = 'engine' AND rid IS NOT NULL)
)

SELECT
    u.exchange_id,
    CASE
        WHEN m.host IS NOT NULL AND u.bootstrap_host IS NOT NULL THEN 'its prefill ran on ' || u.bootstrap_host || ', of which there is no log'
        WHEN m.host IS NOT NULL THEN 'prefill also ran on ' || m.host || ', of which there is no log'
        ELSE 'no prefill worker''s log shows it'
    END AS why
FROM unplaced AS u
CROSS JOIN missing AS m
WHERE
    m.host IS NOT NULL
    OR (u.decode_id IS NOT NULL AND (u.model IS NULL OR u.model IN (SELECT model FROM logging) OR '' IN (SELECT model FROM logging)))
ORDER BY u.exchange_id
