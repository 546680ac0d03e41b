-- question: which engine request ids does each file hold?
-- grain: one row per (file, rid)
-- inputs: file, record
-- assumptions: health checks and warm-up count too: their ids are made within one process
SELECT DISTINCT file.path, record.rid
FROM file
INNER JOIN record ON file.file_id = record.file_id AND record.rid IS NOT NULL
WHERE file.format IN ('sglang_engine_log', 'sglang_request_log', 'sglang_request_metrics')
ORDER BY file.path, record.rid
