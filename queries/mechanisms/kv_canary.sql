-- question: Which exchanges read pages that the engine's KV canary found to hold something else than was written?
-- grain: one row per exchange
-- inputs: exchange, canary_hit, canary_watched, unrecorded
-- mechanism: kv_canary
-- order: 70
-- sources: neighbours
-- requires: decode log or unified log, canary flag
-- needs: the worker's log; for silence to say anything, --kv-canary log or raise shown on, on a model that it covers
-- establishes: a violation line on a worker and rank where only one exchange held that many tokens at that time, and no
--   exchange of unknown placement could have.
-- possible: a violation line on its worker and rank while it held pages, with others beside it: the line names a slot and a
--   position, no request.
-- excludes: no such line while it ran, where the canary is shown on for every worker that held its pages and their logs
--   cover it.
-- assumptions: those of canary_hit. Where records say what went wrong (over-pool, late write, page lifetime), that is named
--   before its detector.
--   Where what the engine printed is not held, or has a hole there, it is unrecorded.
-- false positives: the canary also meets faults of memory, with nobody's text in the pages; a complete scan clears those.
WITH hit AS (
    SELECT exchange_id, min(worker) AS worker, bool_or(alone) AS alone FROM canary_hit GROUP BY exchange_id
)

SELECT
    x.exchange_id,
    CASE
        WHEN h.alone THEN 'established'
        WHEN h.exchange_id IS NOT NULL THEN 'possible'
        WHEN u.exchange_id IS NOT NULL THEN 'unrecorded'
        WHEN w.exchange_id IS NOT NULL THEN 'excluded'
        ELSE 'not_examined'
    END AS status,
    CASE
        WHEN h.alone THEN NULL
        WHEN h.exchange_id IS NOT NULL THEN 'mechanism_possible'
        WHEN u.exchange_id IS NOT NULL THEN u.reason
        WHEN w.exchange_id IS NOT NULL THEN NULL
        ELSE 'detector_off'
    END AS reason,
    'records' AS basis,
    CASE
        WHEN h.alone THEN 'the only exchange on ' || h.worker || ' when its canary found a violation'
        WHEN h.exchange_id IS NOT NULL THEN 'one of several on ' || h.worker || ' when its canary found a violation'
        WHEN u.exchange_id IS NOT NULL THEN 'no log shows what a canary wrote wherever it ran, or whether there was one'
        WHEN w.exchange_id IS NOT NULL THEN 'the canary was on wherever it ran, and found nothing while it did'
        ELSE 'it is not shown that the canary was on wherever it ran'
    END AS detail,
    h.exchange_id IS NOT NULL AND NOT h.alone AS clearable
FROM exchange AS x
LEFT JOIN hit AS h ON h.exchange_id = x.exchange_id
LEFT JOIN canary_watched AS w ON w.exchange_id = x.exchange_id
LEFT JOIN unrecorded AS u ON u.exchange_id = x.exchange_id AND u.what = 'canary'
ORDER BY x.exchange_id
