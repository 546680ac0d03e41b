-- question: Which exchanges of earlier runs may still be somebody's source?
-- grain: one row per exchange of a kept run that no later run, this one included, has judged again
-- inputs: kept_exchange_all, kept_record_all (with the run they are of), current_record (those of this run's exchanges),
--   gone_file (contents that grew or expired)
-- assumptions: two exchanges that share a record are one; the later run, which knew more, speaks for it.
WITH latest AS (
    SELECT record_id, max(run) AS run FROM kept_record_all GROUP BY record_id
),

outdated AS (
    SELECT k.run, k.exchange_id
    FROM kept_record_all AS k
    INNER JOIN latest AS l ON l.record_id = k.record_id AND l.run > k.run
    UNION
    SELECT k.run, k.exchange_id
    FROM kept_record_all AS k
    WHERE
        k.record_id IN (SELECT record_id FROM current_record)
        OR split_part(k.record_id, ':', 1) IN (SELECT file_id FROM gone_file)
)

SELECT x.*
FROM kept_exchange_all AS x
WHERE (x.run, x.exchange_id) NOT IN (SELECT (run, exchange_id) FROM outdated)
ORDER BY x.exchange_id, x.run
