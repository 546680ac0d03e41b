-- question: Which workers do the logs and the declarations know, in what role, serving which model, at which address?
-- grain: one row per worker
-- inputs: record, file, worker_declared, model_declared, backend_declared
-- assumptions: what a worker says of itself (start line, server info) outranks what its requests say. Where no log of any
--   prefill worker is there, one that nobody logged stands for those of each model whose pool is declared, so that the
--   declared limit can be asked for.
WITH said AS (
    SELECT
        f.worker,
        max(f.role) AS role,
        max(r.disaggregation) FILTER (WHERE r.kind IN ('limits', 'start')) AS disaggregation,
        max(r.role) FILTER (WHERE r.kind = 'engine') AS request_role,
        max(r.model) FILTER (WHERE r.kind IN ('limits', 'start')) AS model,
        max(r.worker_address) FILTER (WHERE r.kind IN ('limits', 'start')) AS address,
        max(r.engine_version) AS engine_version,
        coalesce(max(r.dp_rank), 0) AS highest_rank,
        min(r.at_ns) AS first_ns,
        max(r.at_ns) AS last_ns
    FROM file AS f
    LEFT JOIN record AS r ON r.file_id = f.file_id
    WHERE f.worker IS NOT NULL AND f.copy_of IS NULL
    GROUP BY f.worker
),

known AS (
    SELECT
        said.worker,
        coalesce(
            CASE WHEN said.role IN ('prefill', 'decode', 'unified') THEN said.role END,
            nullif(said.disaggregation, 'none'), said.request_role, said.role
        ) AS role,
        said.model, coalesce(d.address, said.address) AS address, said.engine_version, said.highest_rank,
        said.first_ns, said.last_ns
    FROM said
    LEFT JOIN worker_declared AS d ON d.worker = said.worker
),

unlogged AS (
    SELECT m.name
    FROM model_declared AS m
    WHERE
        m.pool_tokens IS NOT NULL
        AND m.name NOT IN (SELECT model FROM backend_declared WHERE NOT disaggregated)
        AND NOT EXISTS (SELECT 1 FROM known WHERE "role" = 'prefill')
)

SELECT * FROM known
UNION ALL
SELECT 'unlogged prefill of ' || name, 'prefill', name, NULL, NULL, 0, NULL, NULL FROM unlogged
ORDER BY worker
