-- question: is one write of the transfer engine bounded, so that an abort is not followed by a long one?
-- grain: one row per SGLang process that is not shown to use another transfer engine than mooncake
-- inputs: subject
-- statement: yes
-- assumptions: SGLANG_MOONCAKE_MAX_TRANSFER_BATCH_INDICES is 0 by default, which is no bound (srt/environ.py; PR #32758)
SELECT
    process AS subject, path, line,
    CASE
        WHEN NOT disaggregated THEN 'pass'
        WHEN batch_indices IS NULL THEN 'cannot_tell'
        WHEN batch_indices > 0 THEN 'pass'
        ELSE 'fail'
    END AS answer,
    CASE
        WHEN NOT disaggregated THEN 'nothing is transferred'
        WHEN batch_indices IS NULL THEN 'no process tells its environment, and no declaration does'
        WHEN batch_indices > 0 THEN 'a write moves at most ' || format('{:,}', batch_indices) || ' indices, as declared'
        ELSE 'a write has no bound: a long one goes on after its request was aborted'
    END AS reason,
    'SGLANG_MOONCAKE_MAX_TRANSFER_BATCH_INDICES' AS setting,
    'Set SGLANG_MOONCAKE_MAX_TRANSFER_BATCH_INDICES to a positive number (1024 is in use) on prefill' AS fix
FROM subject
WHERE engine = 'sglang' AND coalesce(backend, 'mooncake') = 'mooncake' AND role IS DISTINCT FROM 'decode'
ORDER BY subject
