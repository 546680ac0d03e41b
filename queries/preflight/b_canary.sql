-- question: does the engine check at read time that pages hold what their owner wrote?
-- grain: one row per process
-- inputs: subject
-- statement: yes
-- assumptions: --kv-canary log or raise; it does not cover every model, which no setting shows: off, it is left open for a
--   statement
SELECT
    process AS subject, path, line,
    CASE WHEN kv_canary IN ('log', 'raise') THEN 'pass' ELSE 'cannot_tell' END AS answer,
    CASE
        WHEN kv_canary IN ('log', 'raise')
            THEN 'the KV canary is on (' || kv_canary || ')' || CASE WHEN shown = 'declared' THEN ', as declared' ELSE '' END
        WHEN engine = 'vllm' THEN 'vLLM has no KV canary'
        WHEN settings THEN 'the KV canary is off; whether it covers this model is not shown'
        ELSE 'its arguments are not shown, or only in part'
    END AS reason,
    '--kv-canary' AS setting,
    'Start with --kv-canary raise (or log) where it covers the model; else state b_canary, and how reads are checked instead' AS fix
FROM subject
ORDER BY subject
