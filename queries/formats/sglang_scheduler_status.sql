-- question: which requests were on a scheduler at a moment, by its own statement?
-- grain: one row per status record
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: sglang
-- detect: ^(?:\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: [A-Z_]+\d+)*\] ?)?\{"timestamp": ?"[^"]*", ?"event": ?"scheduler\.status"
-- evidence: scheduler.status records
-- where from: SGLang with SGLANG_LOG_SCHEDULER_STATUS_TARGET=stdout or a folder, and --enable-metrics; on stdout between the lines of
--   the engine's log
-- assumptions: timestamp is local time. rank is the scheduler's, not a dp rank by itself. The ids are in detail: running_rids were in
--   the KV pool together, queued_rids waited. Shapes: srt/utils/scheduler_status_logger.py (formats.md A7)
-- cannot say: rooms, tokens, texts; what happened between two statements (60 s apart by default)
-- traps: it is the only record that states co-residency outright, but a request that came and went between two of them is in none
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
)
SELECT
    byte_offset, item, 'batch' AS kind,
    stamp_ns(r ->> 'timestamp') AS at_ns,
    TRUE AS at_is_local,
    try_cast(r ->> 'rank' AS INTEGER) AS tp_rank,
    'sglang' AS engine,
    json_object(
        'running', json_array_length(r -> 'running_rids'), 'queued', json_array_length(r -> 'queued_rids'),
        'running_rids', r -> 'running_rids', 'queued_rids', r -> 'queued_rids'
    ) AS detail,
    CASE WHEN (r ->> 'event') IS DISTINCT FROM 'scheduler.status' THEN 'not_this_format' END AS reject_reason
FROM given
