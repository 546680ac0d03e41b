-- question: which columns may a format's query give, and of what type?
-- grain: no row; it is the empty table that a format's rows are laid under by name
-- inputs: none
-- assumptions: a column that a format does not give is NULL. Beyond the columns of `record` (docs/architecture.md):
--   at_is_local (the stamp is wall-clock time of an unknown zone), latency_ns (received_ns = at_ns - latency_ns),
--   prompt_messages and response_messages (JSON array of OpenAI or OTel GenAI messages), prompt_text, response_text and
--   their _tail (the end of a text whose middle was cut out), cuts_middle (a string of 2048 characters with "..." in
--   its middle was cut there), reject_reason (the raw record is none of this format)
SELECT
    NULL::BIGINT AS byte_offset, NULL::INTEGER AS item, NULL::VARCHAR AS kind, NULL::VARCHAR AS phase,
    NULL::BIGINT AS at_ns, NULL::BOOLEAN AS at_is_local, NULL::BIGINT AS latency_ns,
    NULL::BIGINT AS received_ns, NULL::BIGINT AS first_token_ns, NULL::BIGINT AS finished_ns,
    NULL::VARCHAR AS response_id, NULL::VARCHAR AS call_id, NULL::VARCHAR AS rid, NULL::VARCHAR AS room,
    NULL::VARCHAR AS router_request_id, NULL::VARCHAR AS trace_id, NULL::VARCHAR AS role,
    NULL::INTEGER AS dp_rank, NULL::INTEGER AS tp_rank, NULL::VARCHAR AS worker_address,
    NULL::VARCHAR AS bootstrap_host, NULL::VARCHAR AS bootstrap_port,
    NULL::VARCHAR AS model, NULL::VARCHAR AS engine, NULL::VARCHAR AS engine_version,
    NULL::BIGINT AS prompt_tokens, NULL::BIGINT AS cached_tokens, NULL::BIGINT AS completion_tokens,
    NULL::INTEGER AS http_status, NULL::VARCHAR AS outcome, NULL::VARCHAR AS finish_type,
    NULL::BIGINT AS finish_length, NULL::VARCHAR AS error_text, NULL::BOOLEAN AS streamed,
    NULL::BIGINT AS pool_tokens, NULL::BIGINT AS context_tokens, NULL::BIGINT AS allowed_tokens,
    NULL::BIGINT AS input_tokens, NULL::BIGINT AS page_size, NULL::BOOLEAN AS auto_truncate,
    NULL::VARCHAR AS disaggregation, NULL::VARCHAR AS prompt_state, NULL::VARCHAR AS response_state,
    NULL::JSON AS identity, NULL::JSON AS detail,
    NULL::JSON AS prompt_messages, NULL::VARCHAR AS prompt_text, NULL::VARCHAR AS prompt_tail,
    NULL::JSON AS response_messages, NULL::VARCHAR AS response_text, NULL::VARCHAR AS response_tail,
    NULL::BOOLEAN AS cuts_middle, NULL::VARCHAR AS reject_reason
WHERE FALSE
