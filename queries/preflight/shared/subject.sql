-- question: which processes are asked about, and what do the declarations for their role add?
-- grain: one row per running process; where none was given, one per declared one
-- inputs: process
-- assumptions: a declaration speaks for the running processes of its engine and role, or for all if it names no role. It
--   only fills in what a process cannot say of itself: the environment, and the version where neither its log nor a
--   /server_info of the same address has it. Where several
--   declarations speak for one process, the worst setting counts, and a missing one leaves it open
WITH asked AS (
    SELECT * FROM process
    WHERE shown = 'running' OR NOT EXISTS (SELECT 1 FROM process WHERE shown = 'running')
),

told AS (
    SELECT a.process AS of_process,
           CASE WHEN count(DISTINCT d.version) = 1 THEN max(d.version) END AS declared_version,
           CASE WHEN NOT bool_and(d.deferred) THEN FALSE WHEN count(d.deferred) = count(*) THEN TRUE END AS declared_deferred,
           min(d.deferred_seconds) AS declared_seconds,
           CASE WHEN count(d.batch_indices) = count(*) OR min(d.batch_indices) = 0 THEN min(d.batch_indices) END AS declared_indices
    FROM asked AS a
    INNER JOIN process AS d
        ON d.shown = 'declared' AND (d.role = a.role OR d.role IS NULL OR a.role IS NULL)
        AND coalesce(d.engine = a.engine, TRUE)
    GROUP BY a.process
),

named AS (
    SELECT address, min(version) AS version
    FROM process
    WHERE shown = 'running' AND address IS NOT NULL
    GROUP BY address
    HAVING count(DISTINCT version) = 1
),

filled AS (
    SELECT a.* REPLACE (
               coalesce(a.version, n.version, t.declared_version) AS version, coalesce(a.deferred, t.declared_deferred) AS deferred,
               coalesce(a.deferred_seconds, t.declared_seconds) AS deferred_seconds,
               coalesce(a.batch_indices, t.declared_indices) AS batch_indices
           ),
           a.version IS NULL AND n.version IS NULL AND t.declared_version IS NOT NULL AS version_is_declared
    FROM asked AS a
    LEFT JOIN told AS t ON t.of_process = a.process
    LEFT JOIN named AS n ON n.address = a.address
)

SELECT *,
       -- 0.5.22 is 5022; a pre-release comes before its release
       try_cast(regexp_extract(version, '^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})', 1) AS BIGINT) * 1000000
           + try_cast(regexp_extract(version, '^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})', 2) AS BIGINT) * 1000
           + try_cast(regexp_extract(version, '^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})', 3) AS BIGINT)
           - CASE WHEN regexp_matches(version, '^v?\d+\.\d+\.\d+\.?(rc|a|b|dev)\d') THEN 1 ELSE 0 END AS version_number,
       CASE WHEN context_is_least THEN 'at least ' ELSE '' END || format('{:,}', context_tokens) AS context_shown,
       format('{:,}', pool_tokens) AS pool_shown
FROM filled
