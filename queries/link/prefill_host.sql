-- question: Which prefill worker is it that a decode worker's record names by its host?
-- grain: one row per host that one prefill worker is known to have
-- inputs: worker, served, engine_request
-- assumptions: an address that a log or a declaration gives the worker counts; else the worker whose log holds the prefill
--   half of the rooms for which decode names the host, if it is always the same.
WITH said AS (
    SELECT split_part(address, ':', 1) AS host, min(worker) AS worker
    FROM worker
    WHERE role = 'prefill' AND address IS NOT NULL
    GROUP BY ALL
    HAVING count(*) = 1
),

seen AS (
    SELECT d.bootstrap_host AS host, min(p.worker) AS worker
    FROM served AS s
    INNER JOIN engine_request AS d ON d.engine_id = s.decode_id
    INNER JOIN engine_request AS p ON p.engine_id = s.prefill_id
    WHERE d.bootstrap_host IS NOT NULL AND p.worker IS NOT NULL AND NOT s.room_ambiguous
    GROUP BY d.bootstrap_host
    HAVING count(DISTINCT p.worker) = 1
)

SELECT host, worker FROM said
UNION ALL
SELECT host, worker FROM seen WHERE host NOT IN (SELECT host FROM said)
ORDER BY host
