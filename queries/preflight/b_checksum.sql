-- question: are transferred pages checked, by the same rule on both engines?
-- grain: one row per process
-- inputs: subject
-- statement: yes
-- assumptions: --disaggregation-enable-kv-checksum is off by default, came with 0.5.21 (absent in 0.5.19), and compares only
--   where both engines have it and lay pages out alike (page size, KV type). vLLM has no such check
WITH layout AS (
    SELECT count(DISTINCT page_size) > 1 OR count(DISTINCT kv_dtype) > 1 AS differs FROM subject WHERE disaggregated
)

SELECT
    process AS subject, path, line,
    CASE
        WHEN NOT disaggregated THEN 'pass'
        WHEN engine = 'vllm' THEN 'cannot_tell'
        WHEN kv_checksum AND layout.differs THEN 'fail'
        WHEN kv_checksum THEN 'pass'
        WHEN kv_checksum IS NULL AND NOT settings THEN 'cannot_tell'
        ELSE 'fail'
    END AS answer,
    CASE
        WHEN NOT disaggregated THEN 'nothing is transferred'
        WHEN engine = 'vllm' THEN 'vLLM checks no transferred pages; its log names stale reads at most'
        WHEN kv_checksum AND layout.differs THEN 'the checksum is on, but page size or KV type differ between the engines'
        WHEN kv_checksum THEN 'the checksum is on' || CASE WHEN shown = 'declared' THEN ', as declared' ELSE '' END
        WHEN kv_checksum IS NULL AND NOT settings THEN 'its arguments are not shown, or only in part'
        WHEN version_number < 5021 THEN 'the checksum is off: ' || version || ' may not know it (0.5.21 does)'
        ELSE 'the checksum is off'
    END AS reason,
    '--disaggregation-enable-kv-checksum' AS setting,
    CASE
        WHEN engine = 'vllm' THEN 'Watch for "Potentially invalid KV blocks" in the prefill logs, and count failed transfers as failed requests'
        WHEN kv_checksum THEN 'Give prefill and decode the same --page-size and --kv-cache-dtype'
        ELSE 'Start prefill and decode with --disaggregation-enable-kv-checksum (0.5.21 or later)'
    END AS fix
FROM subject, layout
ORDER BY subject
