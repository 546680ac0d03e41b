-- question: Which exchanges of earlier runs may be a source of what this run suspects?
-- grain: one row per exchange of a kept run that no later run has judged again
-- inputs: kept_exchange_all (of all kept runs), outdated, exchange, suspicion
-- assumptions: only what lived on a suspect's worker can be its source, or may have, where either's is not known. Wider
--   than any mechanism's own rule, which is asked afterwards. A start is corrected by its worker's clock, which every run
--   estimates anew: starts within ten seconds are one.
WITH suspect AS (
    SELECT DISTINCT x.decode_worker
    FROM exchange AS x
    INNER JOIN suspicion AS s ON s.exchange_id = x.exchange_id
    WHERE s.status IN ('established', 'possible', 'undetermined') AND x.delivered != 'no'
)

SELECT
    k.* REPLACE (
        coalesce((
            SELECT min(x.epoch_ns) FROM exchange AS x
            WHERE x.decode_worker = k.decode_worker AND abs(x.epoch_ns - k.epoch_ns) < 10000000000
        ), k.epoch_ns) AS epoch_ns
    )
FROM kept_exchange_all AS k
WHERE
    EXISTS (
        SELECT 1 FROM suspect AS s
        WHERE s.decode_worker = k.decode_worker OR s.decode_worker IS NULL OR k.decode_worker IS NULL
    )
    AND NOT EXISTS (SELECT 1 FROM outdated AS o WHERE o.run = k.run AND o.exchange_id = k.exchange_id)
ORDER BY k.exchange_id, k.run
