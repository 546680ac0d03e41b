-- question: are pages of an aborted request held until its transfer has ended?
-- grain: one row per process
-- inputs: subject
-- statement: yes
-- assumptions: SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE is off by default and its _TIMEOUT is 30 s (srt/environ.py; PR
--   #35049, #35360), which equals the transfer engine's own timeout: 60 to 120 s is the stop-gap for 0.5.19 and 0.5.20. Both
--   sides need it: prefill acknowledges, decode holds. No process tells its environment
SELECT
    process AS subject, path, line,
    CASE
        WHEN NOT disaggregated THEN 'pass'
        WHEN engine = 'vllm' OR deferred IS NULL THEN 'cannot_tell'
        WHEN NOT deferred OR coalesce(deferred_seconds, 30) < 60 THEN 'fail'
        WHEN deferred_seconds > 120 THEN 'fragile'
        ELSE 'pass'
    END AS answer,
    CASE
        WHEN NOT disaggregated THEN 'nothing is transferred'
        WHEN engine = 'vllm' THEN 'vLLM holds pages until they were read or their lease expired; whether that outlasts a transfer is not shown'
        WHEN deferred IS NULL THEN 'no process tells its environment, and no declaration does'
        WHEN NOT deferred THEN 'deferred release is off: pages of an aborted request are free while its transfer still writes'
        WHEN deferred_seconds IS NULL THEN 'deferred release is on, with its default timeout of 30 s, which a stalled transfer reaches'
        WHEN deferred_seconds < 60 THEN 'deferred release is on, but gives up after ' || deferred_seconds || ' s'
        WHEN deferred_seconds > 120 THEN 'deferred release is on; at ' || deferred_seconds || ' s aborts can hold much of the pool'
        ELSE 'deferred release is on, for up to ' || deferred_seconds || ' s' || ', as declared'
    END AS reason,
    'SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE, …_TIMEOUT' AS setting,
    CASE
        WHEN engine = 'vllm' THEN 'Test it: abort requests in flight and watch for "Potentially invalid KV blocks"; then state c_deferred'
        ELSE 'Set SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE=1 and SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE_TIMEOUT=60 '
            || '(to 120) on prefill and decode, and give the manifest that sets them'
    END AS fix
FROM subject
ORDER BY subject
