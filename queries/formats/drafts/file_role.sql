-- question: which files did engines write, in which role and at which address, as their records say?
-- grain: one row per file of an engine format and (role, address) that its records name
-- inputs: file, record
-- assumptions: what a worker says of itself (start line, server info) weighs more than what its requests say
SELECT
    file.path, file.format,
    coalesce(CASE record.disaggregation WHEN 'none' THEN 'unified' ELSE record.disaggregation END, record.role) AS role,
    CASE WHEN record.kind IN ('start', 'limits') THEN record.worker_address END AS address,
    cast(sum(CASE WHEN record.kind IN ('start', 'limits') THEN 1000 ELSE 1 END) AS BIGINT) AS weight
FROM file
INNER JOIN record ON file.file_id = record.file_id AND record.kind IN ('engine', 'start', 'limits', 'transfer', 'note', 'warmup', 'batch')
WHERE file.format IN ('sglang_engine_log', 'sglang_request_log', 'sglang_request_metrics', 'sglang_server_info', 'vllm_request_log')
GROUP BY ALL
ORDER BY ALL
