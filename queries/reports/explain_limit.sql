-- question: Which limits were in force where an exchange lived, and where do the logs say so?
-- grain: one row per worker of the exchange and statement
-- inputs: exchange, worker_limit, record, file; $exchange
SELECT
    l.worker,
    l.how,
    l.in_force,
    l.pool_tokens,
    l.context_tokens,
    l.limit_tokens,
    f.path,
    r.line,
    r.byte_offset
FROM exchange AS e
INNER JOIN worker_limit AS l ON l.worker IN (e.prefill_worker, e.decode_worker)
LEFT JOIN record AS r USING (record_id)
LEFT JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
WHERE
    e.exchange_id = $exchange
    AND coalesce(e.reserved_ns, e.received_ns) >= coalesce(l.start_ns, -1)
    AND coalesce(e.reserved_ns, e.received_ns) < l.end_ns
    AND (l.in_force OR l.rank > 1)
ORDER BY l.worker, l.rank, l.record_id
