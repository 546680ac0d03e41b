-- question: Which records speak of an engine's work, and on which worker were they written?
-- grain: one row per record of an engine's log, health checks and warm-ups left out
-- inputs: record, file
-- assumptions: the worker is the one whose log file it is (case.toml [[source]]), since engines rarely name themselves;
--   without dp ranks in a record or its source the worker has one KV pool, rank 0.
SELECT
    r.record_id, r.file_id, r.format, r.kind, r.phase, r.at_ns, r.received_ns, r.first_token_ns, r.finished_ns,
    f.worker,
    coalesce(f.role, r.role) AS role,
    coalesce(r.dp_rank, f.dp_rank) AS dp_rank,
    r.rid, r.room, r.response_id, r.bootstrap_host, r.bootstrap_port, r.model, r.engine,
    r.prompt_tokens, r.cached_tokens, r.completion_tokens, r.http_status, r.outcome, r.finish_type, r.finish_length,
    r.error_text, r.input_tokens, r.allowed_tokens, r.prompt_hash, r.prompt_state, r.response_state,
    r.prompt_chars, r.response_chars, r.disaggregation
FROM record AS r
INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
WHERE r.kind IN ('engine', 'openai', 'reject', 'gate', 'release', 'transfer', 'detector')
