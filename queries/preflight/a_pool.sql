-- question: does every prefill and decode worker's KV pool hold the longest prompt that its context allows?
-- grain: one row per process
-- inputs: subject
-- statement: no
-- assumptions: SGLang refuses from min(context, pool) - 6 tokens on; if the pool is the smaller, prefill and decode can refuse
--   at different lengths, and a prompt between them is answered from pages that nobody wrote (sgl-project/sglang #30233,
--   #35421). The pool is no setting: it follows from the GPU memory that is free at each start. vLLM refuses too long
--   prompts before it schedules them, and does not start if one would not fit
-- false positives: where /server_info leaves the context open, a context equal to the pool is taken for a larger one
SELECT
    process AS subject, path, line,
    CASE
        WHEN shown = 'declared' THEN 'cannot_tell'
        WHEN engine = 'sglang' AND NOT disaggregated THEN 'pass'
        WHEN restarted OR pool_tokens IS NULL OR context_tokens IS NULL THEN 'cannot_tell'
        WHEN engine = 'vllm' AND pool_tokens < context_tokens THEN 'cannot_tell'
        WHEN pool_tokens < context_tokens THEN 'fail'
        WHEN ranks < dp_size THEN 'cannot_tell'
        ELSE 'pass'
    END AS answer,
    CASE
        WHEN shown = 'declared'
            THEN 'a declaration only'
                || CASE WHEN context_tokens IS NULL THEN '' ELSE ' (context ' || context_shown || ')' END
                || ': the pool follows from the GPU memory that is free at each start'
        WHEN engine = 'sglang' AND NOT disaggregated THEN 'prefill and decode run in one process: an over-pool prompt is refused whole'
        WHEN restarted THEN 'it started again after its last limits line, and has not said its new pool'
        WHEN pool_tokens IS NULL THEN 'it does not say its pool'
        WHEN context_tokens IS NULL THEN 'it does not say its context (pool ' || pool_shown || ')'
        WHEN engine = 'vllm' AND pool_tokens < context_tokens
            THEN 'pool ' || pool_shown || ' under context ' || context_shown || ', with which vLLM would not start: these may be '
                || 'lines of two starts, or a cache of several kinds'
        WHEN pool_tokens < context_tokens
            THEN 'pool ' || pool_shown || ' under context ' || context_shown || ': prompts from ' || format('{:,}', pool_tokens - 6)
                || ' tokens on are over this worker''s pool while the service takes them'
        WHEN ranks < dp_size
            THEN 'the pools of ' || ranks || ' of ' || dp_size || ' data-parallel ranks are shown (smallest ' || pool_shown || ')'
        ELSE 'pool ' || pool_shown || ', context ' || context_shown || ': margin ' || format('{:,}', pool_tokens - context_tokens)
            || ' tokens (' || (100 * (pool_tokens - context_tokens) // greatest(context_tokens, 1)) || ' %)'
    END AS reason,
    CASE WHEN engine = 'vllm' THEN '--max-model-len, --gpu-memory-utilization' ELSE '--context-length, --mem-fraction-static' END AS setting,
    CASE
        WHEN shown = 'declared' THEN 'Save /server_info, or the log since its start, of every running prefill and decode worker and give it'
        WHEN pool_tokens < context_tokens AND engine IS DISTINCT FROM 'vllm'
            THEN 'Set --context-length to ' || greatest(pool_tokens - pool_tokens % 1024, least(pool_tokens, 1024)) || ' or less on every prefill and decode worker, or '
                || CASE WHEN context_is_least THEN 'enlarge the pool beyond the model''s context'
                        ELSE 'enlarge the pool to at least ' || context_shown || ' tokens' END
                || ' (more memory by --mem-fraction-static, more GPUs per worker, a smaller KV type); restart and check again'
        ELSE 'Save /server_info of the running process, of every rank, and give it'
    END AS fix
FROM subject
ORDER BY subject
