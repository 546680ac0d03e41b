-- question: Which exchanges does this run judge, and which are only context that earlier runs judged?
-- grain: one row per exchange that has a new record, or that lived while new records were written
-- inputs: exchange, exchange_record, record, new_file, span (from_ns, to_ns of each new file)
-- assumptions: what new records can change about an exchange without a record of its own (an abort, a limit, a start)
--   they change at their own time.
SELECT x.exchange_id
FROM exchange AS x
WHERE
    EXISTS (
        SELECT 1 FROM exchange_record AS er
        INNER JOIN record AS r ON r.record_id = er.record_id
        INNER JOIN new_file AS f ON f.file_id = r.file_id
        WHERE er.exchange_id = x.exchange_id
    )
    OR EXISTS (
        SELECT 1 FROM span AS s
        WHERE coalesce(x.received_ns, x.reserved_ns) BETWEEN s.from_ns AND s.to_ns
    )
ORDER BY x.exchange_id
