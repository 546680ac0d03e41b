-- question: When could an exchange on a decode worker have gone by unseen, by the gateway's logs and by the worker's?
-- grain: one row per (decode worker, interval); a NULL worker stands for an exchange that no log places
-- inputs: gap, worker, engine_record, exchange, model_pair, model_name
-- assumptions: either log suffices, so both must have a gap at the same time, give or take the longest exchange. What every
--   decode worker of a model may have missed, each of them may. A worker whose log shows no arrivals (finishes at most)
--   does not show what was aborted, so only the gateway sees that.
WITH longest AS (
    SELECT least(coalesce(max(client_finished_ns - received_ns), 0), 3600000000000) AS ns FROM exchange WHERE client_id IS NOT NULL
),

decode AS (
    SELECT w.worker, coalesce(m.client_model, n.name, w.model, 'an unknown model') AS model
    FROM worker AS w
    LEFT JOIN model_pair AS m ON m.engine_model = w.model
    LEFT JOIN model_name AS n ON n.alias = w.model
    WHERE w.role IS DISTINCT FROM 'prefill'
),

arrivals AS (
    SELECT DISTINCT worker, format FROM engine_record WHERE phase = 'received' AND kind = 'engine' AND worker IS NOT NULL
),

at_worker AS (
    SELECT g.who AS worker, g.from_ns, g.to_ns
    FROM gap AS g
    INNER JOIN decode AS d ON d.worker = g.who
    WHERE
        g.how IN ('silence', 'access lines')
        OR EXISTS (SELECT 1 FROM arrivals AS a WHERE a.worker = g.who AND a.format = g.source)
    UNION ALL
    SELECT d.worker, g.from_ns, g.to_ns
    FROM gap AS g
    INNER JOIN decode AS d ON g.who = 'decode of ' || d.model
    UNION ALL
    SELECT worker, -9223372036854775807, 9223372036854775807 FROM decode WHERE worker NOT IN (SELECT worker FROM arrivals)
    UNION ALL
    SELECT NULL, -9223372036854775807, 9223372036854775807
),

at_gateway AS (
    SELECT g.from_ns - l.ns AS from_ns, g.to_ns + l.ns AS to_ns, g.reason
    FROM gap AS g
    CROSS JOIN longest AS l
    WHERE g.who = 'gateway'
),

both_gaps AS (
    SELECT
        w.worker, greatest(w.from_ns, g.from_ns) AS from_ns, least(w.to_ns, g.to_ns) AS to_ns,
        max(CASE g.reason WHEN 'sampled_out' THEN 3 WHEN 'retention_expired' THEN 2 ELSE 1 END) AS weight
    FROM at_worker AS w
    INNER JOIN at_gateway AS g ON g.from_ns <= w.to_ns AND g.to_ns >= w.from_ns
    GROUP BY ALL
),

islands AS (
    SELECT
        *, sum(if(from_ns > reach_ns, 1, 0)) OVER (PARTITION BY worker ORDER BY from_ns, to_ns ROWS UNBOUNDED PRECEDING) AS island
    FROM (
        SELECT
            *, coalesce(max(to_ns) OVER (
                PARTITION BY worker ORDER BY from_ns, to_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ), -9223372036854775807) AS reach_ns
        FROM both_gaps
    )
)

SELECT
    worker, min(from_ns) AS from_ns, max(to_ns) AS to_ns,
    CASE max(weight) WHEN 3 THEN 'sampled_out' WHEN 2 THEN 'retention_expired' ELSE 'engine_log_missing' END AS reason
FROM islands
GROUP BY worker, island
ORDER BY worker, from_ns
