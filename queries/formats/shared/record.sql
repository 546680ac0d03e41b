-- question: what does each raw record of this batch say, in the columns of `record`?
-- grain: one row per raw record, rejected ones included (reject_reason)
-- inputs: canonical, projected (what the format's query gave), raw (line, byte_offset, item, raw), parts (what text.sql gave)
-- assumptions: a raw record that the format's query leaves out is rejected as not_this_format. Equal prompts hash equal
--   across formats: SHA-256 over the messages' (role, text) pairs, text being content and tool results joined in order;
--   reasoning, tool-call arguments and images are left out, since formats spell them differently. A rendered prompt
--   (chat template applied) has no messages, and no hash
WITH given AS MATERIALIZED (
    SELECT * FROM canonical
    UNION ALL BY NAME
    SELECT * FROM projected
),
told AS (
    SELECT byte_offset, item, side,
           bool_or(fragment <> 'whole') AS cut, bool_or(dropped) AS redacted,
           CAST(sum(CASE WHEN NOT dropped THEN length(text) END) AS BIGINT) AS chars
    FROM parts
    GROUP BY byte_offset, item, side
),
message AS (
    SELECT byte_offset, item, m.place - 1 AS message_index, lower(coalesce(m.body ->> 'role', '')) AS "role"
    FROM given, unnest(json_extract(prompt_messages, '$[*]')) WITH ORDINALITY AS m(body, place)
),
said AS (
    SELECT byte_offset, item, message_index, string_agg(text, '' ORDER BY part) AS text
    FROM parts
    WHERE side = 'prompt' AND field IN ('content', 'tool_result')
    GROUP BY byte_offset, item, message_index
),
hashed AS (
    SELECT byte_offset, item,
           sha256(string_agg("role" || chr(31) || coalesce(text, ''), chr(30) ORDER BY message_index)) AS prompt_hash
    FROM message
    LEFT JOIN said USING (byte_offset, item, message_index)
    GROUP BY byte_offset, item
)
SELECT
    raw.line, raw.byte_offset, raw.item, given.kind, given.phase, given.at_ns,
    coalesce(given.at_is_local, false) AS at_is_local, given.latency_ns,
    given.received_ns, given.first_token_ns, given.finished_ns,
    id_of(given.response_id) AS response_id, id_of(given.call_id) AS call_id, id_of(given.rid) AS rid,
    id_of(given.room) AS room, id_of(given.router_request_id) AS router_request_id, id_of(given.trace_id) AS trace_id,
    given."role", given.dp_rank, given.tp_rank, given.worker_address, given.bootstrap_host, given.bootstrap_port,
    given.model, given.engine, given.engine_version, given.prompt_tokens, given.cached_tokens, given.completion_tokens,
    given.http_status, given.outcome, given.finish_type, given.finish_length, given.error_text, given.streamed,
    given.pool_tokens, given.context_tokens, given.allowed_tokens, given.input_tokens, given.page_size,
    given.auto_truncate, given.disaggregation,
    CASE
        WHEN given.prompt_state = 'encrypted' THEN 'encrypted'
        WHEN prompt.redacted THEN 'redacted'
        WHEN prompt.cut THEN 'truncated'
        WHEN given.prompt_state IS NOT NULL THEN given.prompt_state
        WHEN prompt.side IS NOT NULL OR json_array_length(given.prompt_messages) > 0 THEN 'complete'
        ELSE 'absent'
    END AS prompt_state,
    CASE
        WHEN given.response_state = 'encrypted' THEN 'encrypted'
        WHEN response.redacted THEN 'redacted'
        WHEN response.cut THEN 'truncated'
        WHEN given.response_state IS NOT NULL THEN given.response_state
        WHEN response.side IS NOT NULL OR given.response_text IS NOT NULL OR json_array_length(given.response_messages) > 0
            THEN 'complete'
        ELSE 'absent'
    END AS response_state,
    CASE WHEN NOT coalesce(prompt.cut OR prompt.redacted, false) AND given.prompt_state IS NULL THEN hashed.prompt_hash END
        AS prompt_hash,
    prompt.chars AS prompt_chars,
    CASE WHEN response.side IS NOT NULL THEN response.chars WHEN given.response_text IS NOT NULL THEN 0 END AS response_chars,
    CAST(given."identity" AS VARCHAR) AS "identity", CAST(given.detail AS VARCHAR) AS detail,
    md5(raw.raw) AS raw_md5,
    CASE WHEN given.byte_offset IS NULL THEN 'not_this_format' ELSE given.reject_reason END AS reject_reason,
    raw.length
FROM raw
LEFT JOIN given ON given.byte_offset = raw.byte_offset AND given.item = raw.item
LEFT JOIN told AS prompt ON prompt.byte_offset = raw.byte_offset AND prompt.item = raw.item AND prompt.side = 'prompt'
LEFT JOIN told AS response
    ON response.byte_offset = raw.byte_offset AND response.item = raw.item AND response.side = 'response'
LEFT JOIN hashed ON hashed.byte_offset = raw.byte_offset AND hashed.item = raw.item
ORDER BY raw.byte_offset, raw.item
