-- question: Which lines did the engines' own detectors write, where and when, and whom do they name?
-- grain: one row per detector line; the same line of several TP ranks is several rows
-- inputs: record, file, clock
-- assumptions: stamps are of whole seconds at worst, so a line may be a second later than its stamp.
SELECT
    r.record_id, f.worker, coalesce(r.dp_rank, f.dp_rank) AS dp_rank,
    CASE
        WHEN r.error_text LIKE 'KV checksum mismatch%' THEN 'checksum'
        WHEN r.error_text LIKE 'Context corruption detected%' THEN 'collision'
        WHEN r.error_text LIKE 'KV cache canary violation%' OR r.error_text LIKE 'kv_canary violation%' THEN 'canary'
        WHEN r.error_text LIKE 'Potentially invalid KV blocks%' THEN 'expired blocks'
        ELSE 'other'
    END AS what,
    r.rid, r.room,
    r.detail ->> 'other_room' AS other_room,
    try_cast(nullif(regexp_extract(r.error_text, 'position=(\d+)', 1), '') AS BIGINT) AS position,
    r.at_ns - coalesce(k.skew_ns, 0) AS at_ns
FROM record AS r
INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
LEFT JOIN clock AS k ON k.worker = f.worker
WHERE r.kind = 'detector'
ORDER BY r.record_id
