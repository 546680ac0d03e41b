-- question: Which pool and context did each worker state at each start, and where does the log say so?
-- grain: one row per statement of a limit
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
    coalesce(l.pool_tokens < l.context_tokens, false) AS mismatch,
    f.path,
    r.line
FROM worker_limit AS l
LEFT JOIN record AS r USING (record_id)
LEFT JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
WHERE l.in_force OR l.rank > 1
ORDER BY l.worker, l.start_ns NULLS FIRST, l.rank, l.record_id
