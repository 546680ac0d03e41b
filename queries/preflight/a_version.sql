-- question: does the engine's version itself refuse a prompt over the pool?
-- grain: one row per process
-- inputs: subject
-- statement: no
-- assumptions: SGLang up to 0.5.19 is vulnerable unless patched; 0.5.20 retires such a request after its forward (#36988) and
--   0.5.21 refuses it at intake (#38935), follow-ups came with 0.5.22. Read in the wheels; a private patch does not show.
--   vLLM answers too long prompts with 400 before scheduling
-- false positives: a patched 0.5.19 or earlier; a version that a declaration names by its image's tag
SELECT
    process AS subject, path, line,
    CASE
        WHEN engine = 'vllm' OR NOT disaggregated THEN 'pass'
        WHEN version_number IS NULL OR shown = 'declared' THEN 'cannot_tell'
        WHEN version_number >= 5022 THEN 'pass'
        WHEN version_number >= 5020 THEN 'fragile'
        WHEN pool_tokens >= context_tokens AND ranks >= dp_size AND NOT restarted THEN 'fragile'
        ELSE 'fail'
    END AS answer,
    CASE
        WHEN engine = 'vllm' THEN 'vLLM refuses too long prompts before it schedules them'
        WHEN NOT disaggregated THEN 'prefill and decode run in one process'
        WHEN version IS NULL THEN 'it does not say its version'
        WHEN version_number IS NULL THEN 'version ' || version || ' is none that is known'
        WHEN shown = 'declared' THEN 'a declaration only, of ' || version || ': the running process says which it is'
        ELSE version || CASE WHEN version_is_declared THEN ' (declared)' ELSE '' END || CASE
            WHEN version_number >= 5022 THEN ' refuses prompts over the pool'
            WHEN version_number >= 5020 THEN ' refuses prompts over the pool; the follow-ups of 0.5.22 are missing'
            WHEN pool_tokens >= context_tokens AND ranks >= dp_size AND NOT restarted
                THEN ' is vulnerable unless patched: only the pool stands between, and it may be smaller after the next start'
            ELSE ' is vulnerable unless patched: it answers prompts over the pool with 200, from pages that nobody wrote'
        END
    END AS reason,
    'engine version' AS setting,
    CASE WHEN version IS NULL OR shown = 'declared' AND version_number >= 5022 THEN 'Save /server_info of the running process: it states the version'
         ELSE 'Upgrade prefill and decode to SGLang 0.5.22 or later' END AS fix
FROM subject
ORDER BY subject
