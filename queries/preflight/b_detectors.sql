-- question: has a detector spoken in the logs given?
-- grain: one row per process with a log
-- inputs: subject
-- statement: no
-- assumptions: checksum mismatch, canary violation, context corruption, and vLLM's "potentially invalid KV blocks" each tell of
--   foreign or stale pages that were read. Their silence is no answer, so it has no row here
SELECT
    process AS subject, path, detected_line AS line, 'fail' AS answer,
    'its detectors told of foreign or stale pages (' || detections || ' lines)' AS reason,
    'KV detectors' AS setting,
    'Drain this worker, keep its logs, and look into it: forensics init CASE --from LOGS, then ingest and analyze' AS fix
FROM subject
WHERE detections > 0
ORDER BY subject
