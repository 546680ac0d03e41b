-- question: Which exchanges read pages that were freed while they still used them, with no transfer to blame?
-- grain: one row per exchange
-- inputs: exchange, canary_hit, late_write_case, canary_watched, unrecorded
-- mechanism: page_lifetime
-- order: 40
-- sources: neighbours
-- requires: decode log or unified log or prefill log, canary flag
-- needs: the worker's log with the KV canary on; without it only a sweep of the texts can show it
-- establishes: a canary violation that no transfer explains, where only one exchange held that many tokens at that time: on a
--   worker that is sent no pages (it does both phases, or prefills), or on a decode worker where prefill and decode counted
--   the same tokens for the room and no transfer of an aborted request was open.
-- possible: the same with others beside it.
-- excludes: a canary that was on wherever the exchange ran, and found nothing while it did.
-- assumptions: what ran tells this from a late write: a late write needs a transfer that was still open, this one none. An
--   abort alone makes nothing possible here, since nothing in a log shows that it freed pages too early.
--   Where what the engine printed is not held, or has a hole there, it is unrecorded.
-- false positives: faults of memory; a late write whose aborted request no log shows. A complete scan clears those.
WITH hit AS (
    SELECT
        h.exchange_id, min(h.worker) AS worker,
        bool_or(h.role IN ('unified', 'prefill')) AS without_transfer,
        bool_or(h.alone) AS alone
    FROM canary_hit AS h
    INNER JOIN exchange AS x ON x.exchange_id = h.exchange_id
    WHERE
        h.role IN ('unified', 'prefill')
        OR (
            x.prefill_tokens = x.decode_tokens AND NOT x.transfer_failed
            AND h.exchange_id NOT IN (SELECT exchange_id FROM late_write_case)
        )
    GROUP BY h.exchange_id
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
        WHEN h.exchange_id IS NOT NULL THEN if(h.alone, 'alone on ', 'one of several on ') || h.worker
            || if(h.without_transfer, ', which is sent no pages,', ', with its transfer complete and no other one open,')
            || ' when its canary found a violation'
        WHEN u.exchange_id IS NOT NULL THEN 'no log shows what a canary wrote wherever it ran, or whether there was one'
        WHEN w.exchange_id IS NOT NULL THEN 'the canary was on wherever it ran, and found nothing that is to be explained'
        ELSE 'it is not shown that the canary was on wherever it ran'
    END AS detail,
    h.exchange_id IS NOT NULL AND NOT h.alone AS clearable
FROM exchange AS x
LEFT JOIN hit AS h ON h.exchange_id = x.exchange_id
LEFT JOIN canary_watched AS w ON w.exchange_id = x.exchange_id
LEFT JOIN unrecorded AS u ON u.exchange_id = x.exchange_id AND u.what = 'canary'
ORDER BY x.exchange_id
