-- question: Which pool and context did each worker state at each start, and where do the logs say so?
-- grain: one row per worker, start and way of stating, its first record named
-- inputs: worker_limit, record, file
SELECT
    l.worker,
    l.start_ns,
    l.how,
    l.in_force,
    l.pool_tokens,
    l.context_tokens,
    l.limit_tokens,
    l.auto_truncate,
    l.pool_tokens < l.context_tokens AS mismatch,
    count(*) AS records,
    arg_min(f.path, (r.at_ns, l.record_id)) AS path,
    arg_min(r.line, (r.at_ns, l.record_id)) AS line
FROM worker_limit AS l
LEFT JOIN record AS r USING (record_id)
LEFT JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
GROUP BY ALL
ORDER BY l.worker, l.start_ns NULLS FIRST, min(l.rank), l.how, l.limit_tokens, l.pool_tokens, l.context_tokens, l.auto_truncate
