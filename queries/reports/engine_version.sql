-- question: Which engine version did each worker state, and what is known of it?
-- grain: one row per worker and stated version
-- inputs: record, file
-- assumptions: read in the wheels (formats.md section 0): over-pool requests are retired after their forward since 0.5.20
--   (sgl-project/sglang #36988) and refused at intake since 0.5.21 (#38935), follow-ups came with 0.5.22; the KV checksum came
--   with 0.5.21. A private patch does not show, so a version moves no verdict.
WITH stated AS (
    SELECT
        f.worker, r.engine, r.engine_version,
        try_cast(regexp_extract(r.engine_version, '^v?(\d+)\.(\d+)\.(\d+)', 1) AS BIGINT) * 1000000
        + try_cast(regexp_extract(r.engine_version, '^v?(\d+)\.(\d+)\.(\d+)', 2) AS BIGINT) * 1000
        + try_cast(regexp_extract(r.engine_version, '^v?(\d+)\.(\d+)\.(\d+)', 3) AS BIGINT) AS number,
        min(r.at_ns) AS first_ns
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE r.engine_version IS NOT NULL AND f.worker IS NOT NULL
    GROUP BY f.worker, r.engine, r.engine_version
)

SELECT
    worker, engine, engine_version, first_ns,
    CASE
        WHEN engine = 'vllm' THEN 'answers too long prompts with 400 before it schedules them'
        WHEN engine IS DISTINCT FROM 'sglang' OR number IS NULL THEN 'not known'
        WHEN number >= 5022 THEN 'over-pool fixed, with its follow-ups'
        WHEN number >= 5020 THEN 'over-pool fixed, follow-ups of 0.5.22 missing'
        ELSE 'vulnerable to over-pool unless patched'
    END AS over_pool,
    CASE
        WHEN engine IS DISTINCT FROM 'sglang' OR number IS NULL THEN 'not known'
        WHEN number >= 5021 THEN 'knows the KV checksum'
        WHEN number = 5020 THEN 'may not know the KV checksum'
        ELSE 'does not know the KV checksum'
    END AS checksum,
    CASE WHEN engine = 'sglang' AND number IS NOT NULL THEN 'sgl-project/sglang #30233, #36988, #38935, #39229' END AS source
FROM stated
ORDER BY worker, first_ns NULLS FIRST, engine, engine_version
