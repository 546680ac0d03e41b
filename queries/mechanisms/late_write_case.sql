-- question: Which exchanges reserved pages that the transfer of an aborted request could still write into?
-- grain: one row per (exchange, window that fits it)
-- inputs: exchange, late_write_window, worker, model_pair, model_name
-- assumptions: an exchange that no log places may have lived on any decode worker of its model; so may the aborted one.
--   Where an exchange lies outside a window by no more than the clocks leave open, it may lie within (sure is false).
SELECT
    x.exchange_id, w.trigger_exchange_id, w.how, w.from_ns, w.to_ns, w.end_shown,
    x.decode_worker IS NOT NULL AND w.worker IS NOT NULL AS placed,
    x.reserved_ns IS NULL OR x.reserved_ns BETWEEN w.from_ns AND w.to_ns AS sure
FROM exchange AS x
INNER JOIN late_write_window AS w
    ON
        w.trigger_exchange_id IS DISTINCT FROM x.exchange_id
        AND CASE
            WHEN x.decode_worker IS NOT NULL AND w.worker IS NOT NULL THEN
                x.decode_worker = w.worker AND (x.dp_rank IS NULL OR w.dp_rank IS NULL OR x.dp_rank = w.dp_rank)
            ELSE x.model IS NULL OR w.model IS NULL OR x.model = w.model
        END
        AND CASE
            WHEN x.reserved_ns IS NOT NULL
                THEN x.reserved_ns BETWEEN w.from_ns - w.from_margin_ns - x.clock_margin_ns AND w.to_ns + w.to_margin_ns + x.clock_margin_ns
            ELSE x.received_ns <= w.to_ns AND coalesce(x.finished_ns, x.received_ns) >= w.from_ns
        END
WHERE x.backend != 'not_disaggregated' AND x.client_outcome IS DISTINCT FROM 'error'
ORDER BY ALL
