-- question: what did a streamed answer deliver to its client?
-- grain: one row per streamed answer
-- inputs: raw (line, byte_offset, item, raw): JSON objects made by framing: stem, done, cut, events
-- framing: sse
-- detect: ^(?:data: ?(?:\{|\[DONE\])|event: ?\w)
-- keys: object=chat.completion.chunk | object=text_completion, !usage | object=text_completion, usage=null
--   | type=message_start, message | type=content_block_delta, delta | type=response.created, response | text, meta_info
-- evidence: data: and event: lines, or chunks as JSON
-- where from: a client's or proxy's raw capture of a stream: the SSE text, its chunks one per line, or arrays of chunks; SGLang's
--   /generate, streamed or not
-- assumptions: where a file holds one answer only, trace_id 'sse:<stem>' ties it to the request body and headers beside it, whose
--   names share the stem. OpenAI chunks are joined per choice, tool arguments per (choice, tool); SGLang's /generate repeats
--   the text so far, so the longest counts, or with --incremental-streaming-output goes on from it; Anthropic's deltas are joined per block. An error event after HTTP 200 is an
--   error. A stream with neither [DONE] nor a finish reason ends early: its text is a head. Shapes: formats.md D
-- cannot say: who called, and what was asked; only the first chunk's time in whole seconds (created), for Anthropic none
-- traps: chunks of concurrent answers in one file are told apart by their ids only; those without an id follow the answer
--   that began last. An event that cannot be read leaves a hole, and makes the answer truncated
WITH given AS MATERIALIZED (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, json_extract(raw, '$.events[*].data') AS events FROM raw
),
told AS MATERIALIZED (
    SELECT byte_offset, item, r, events, stream_messages(stream_pieces(events)) AS messages, stream_told(events) AS told,
           coalesce(try_cast(r ->> 'done' AS BOOLEAN), FALSE) AS done, coalesce(try_cast(r ->> 'cut' AS BOOLEAN), FALSE) AS cut
    FROM given
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    try(told.created * 1000000000) AS at_ns,
    told.response_id,
    'sse:' || (r ->> 'stem') AS trace_id,
    told.model, told.prompt_tokens, told.cached_tokens, told.completion_tokens,
    CASE WHEN told.error_text IS NOT NULL THEN told.error_code END AS http_status,
    CASE
        WHEN told.error_text IS NOT NULL THEN 'error'
        WHEN done OR told.finish IS NOT NULL THEN 'ok'
        ELSE 'aborted'
    END AS outcome,
    told.finish AS finish_type,
    told.error_text,
    NOT (len(events) = 1 AND told.cumulative IS NOT NULL AND told.finish IS NOT NULL) AS streamed,
    'absent' AS prompt_state,
    CASE
        WHEN cut OR (NOT done AND told.finish IS NULL) THEN 'truncated'
        WHEN messages IS NULL AND told.cumulative IS NULL THEN 'absent'
    END AS response_state,
    json_object(
        'stem', r ->> 'stem', 'events', len(events), 'done', done, 'cut', cut, 'time_is', 'created, of the first chunk'
    ) AS detail,
    messages AS response_messages,
    CASE WHEN messages IS NULL THEN told.cumulative END AS response_text,
    CASE
        -- Many programs send events: without a word of a model's answer in any of them they are none of ours.
        WHEN len(events) > 0 AND NOT done AND messages IS NULL AND told.cumulative IS NULL AND told.response_id IS NULL
            AND told.model IS NULL AND told.finish IS NULL AND told.error_text IS NULL
            THEN 'not_this_format'
    END AS reject_reason
FROM told
