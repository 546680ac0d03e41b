-- question: Which exchanges may hold what the late transfer of an aborted request wrote into their pages?
-- grain: one row per exchange
-- inputs: exchange, late_write_case, blind
-- mechanism: late_write
-- order: 10
-- sources: named
-- carries: prompt
-- requires: disaggregated, decode log, gateway log or prefill log
-- needs: the decode worker's log, and the gateway's or both engines' record of every abort
-- establishes: nothing: logs name no pages
-- possible: pages reserved on a worker and rank after an abort before prefill's finish, or after a deferred release that
--   timed out, and before the transfer is shown to have ended (or within the horizon); or no log that would show an abort.
-- excludes: no such window on the exchange's worker; a backend that is not disaggregated.
-- assumptions: an abort shows in the gateway's log or in the worker's; only where both have a gap (coverage/blind) is one
--   overlooked. Where the aborted request itself has left no record, no text of its can clear anybody.
-- false positives: most exchanges after an abort are clean, so a complete scan of the texts clears the suspicion.
WITH best AS (
    SELECT
        exchange_id, bool_or(placed) AS placed, count(*) AS windows,
        bool_and(trigger_exchange_id IS NOT NULL) AS all_known, bool_or(sure) AS sure,
        arg_max(trigger_exchange_id, (from_ns, trigger_exchange_id)) AS trigger_exchange_id,
        arg_max(how, (from_ns, how)) AS how
    FROM late_write_case
    GROUP BY exchange_id
),

pair AS (
    SELECT exchange_id, trigger_exchange_id, placed, max(from_ns) AS last_ns
    FROM late_write_case
    WHERE trigger_exchange_id IS NOT NULL
    GROUP BY ALL
),

written_by AS (
    SELECT
        exchange_id,
        list({'exchange_id': trigger_exchange_id, 'placement': if(placed, 'fits', 'unknown'), 'last_ns': last_ns}
            ORDER BY last_ns, trigger_exchange_id, placed) AS named
    FROM pair
    GROUP BY exchange_id
),

unseen AS (
    SELECT x.exchange_id, min(g.reason) AS reason
    FROM exchange AS x
    INNER JOIN blind AS g
        ON
            g.worker IS NOT DISTINCT FROM x.decode_worker
            AND g.from_ns <= coalesce(x.reserved_ns, x.received_ns)
            AND g.to_ns >= coalesce(x.reserved_ns, x.received_ns) - $late_write_horizon_ns
    GROUP BY x.exchange_id
)

SELECT
    x.exchange_id,
    CASE
        WHEN x.backend = 'not_disaggregated' THEN 'excluded'
        WHEN b.exchange_id IS NOT NULL OR u.exchange_id IS NOT NULL THEN 'possible'
        ELSE 'excluded'
    END AS status,
    CASE
        WHEN x.backend = 'not_disaggregated' THEN NULL
        WHEN b.placed AND NOT b.sure THEN 'clock_uncertain'
        WHEN b.placed THEN 'mechanism_possible'
        WHEN b.exchange_id IS NOT NULL THEN 'placement_unknown'
        WHEN u.exchange_id IS NOT NULL THEN u.reason
    END AS reason,
    'records' AS basis,
    CASE
        WHEN x.backend = 'not_disaggregated' THEN 'the backend is not disaggregated: ' || coalesce(x.backend_why, 'seen so')
        WHEN b.placed AND NOT b.sure
            THEN 'reserved its pages so close to the transfer of an aborted request that the clocks do not tell their order'
        WHEN b.placed THEN 'reserved its pages after ' || if(b.how = 'abort', 'an abort', 'a deferred release timed out')
            || ' on its worker while that transfer was not shown to have ended'
        WHEN b.exchange_id IS NOT NULL THEN 'its worker, or that of an aborted request of that time, is not known'
        WHEN u.exchange_id IS NOT NULL THEN 'neither its worker''s log nor the gateway''s is whole in its time'
        ELSE 'no transfer of an aborted request was open on its worker when it reserved its pages'
    END AS detail,
    b.trigger_exchange_id,
    coalesce(b.all_known, false) AND u.exchange_id IS NULL AS clearable,
    w.named
FROM exchange AS x
LEFT JOIN best AS b ON b.exchange_id = x.exchange_id
LEFT JOIN written_by AS w ON w.exchange_id = x.exchange_id
LEFT JOIN unseen AS u ON u.exchange_id = x.exchange_id
ORDER BY x.exchange_id
