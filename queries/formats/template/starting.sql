-- question: what does each record of … say?
-- grain: one row per raw record
-- inputs: raw (line, byte_offset, item, raw, length): what framing made of the file, JSON or a line of text
-- framing: json
-- detect: "a key that only these lines have"
-- evidence: JSON objects with …
-- assumptions: …

-- HOW TO GO ON
--   1. Write what each line is in the header above. `framing` is one of
--        json        one JSON object per line, one document, or an array; text before a line's first { is dropped
--        json members  the same, and the list within an API's answer
--        json lines  the same, where each line is by itself
--        csv         a header and rows; each row is a JSON object by its names, empty values null
--        parquet     each row is a JSON object
--        text        lines as they are: take them apart with regexp_extract
--      Without the line, JSON, CSV and Parquet are told by the content. `detect` is a regular expression that matches a line
--      of yours and no other format's; better is `-- keys: a, b, !c`, the outermost fields that are there, or are not. Without
--      either the file must be named with --format. `-- envelopes: keep` leaves lines
--      in what a container runtime or a log store put around them.
--   2. Take the columns that you have; leave out the others, and line, byte_offset and item as they are.
--   3. forensics formats try FILE --format THIS.sql
--   4. Put the file into CASE/queries/formats/, or name it: forensics ingest CASE FILE --format THIS.sql
SELECT
    byte_offset, item,

    -- What it is: client (a gateway's, proxy's or client's view of one exchange), engine (an engine's view of one request),
    -- router, access, note (understood, carries nothing). phase: received, finished, whole.
    'client' AS kind,
    'whole' AS phase,

    -- When, in nanoseconds UTC. epoch_ns_of takes epoch seconds and ISO 8601; milliseconds are
    -- try_cast(raw ->> 'ms' AS BIGINT) * 1000000. A local time is stamp_ns(raw ->> 'time') AS at_ns, TRUE AS at_is_local: the
    -- case declares its zone.
    epoch_ns_of(raw ->> 'time') AS at_ns,
    -- epoch_ns_of(raw ->> 'start') AS received_ns, epoch_ns_of(raw ->> 'first') AS first_token_ns,
    -- epoch_ns_of(raw ->> 'end') AS finished_ns,

    -- Ids, as text and as spelled. response_id is the id in the answer's body (for SGLang the decode rid): it joins to the
    -- engines. call_id is the gateway's own.
    raw ->> 'id' AS response_id,
    -- raw ->> 'call' AS call_id, raw ->> 'trace' AS trace_id, raw ->> 'x-request-id' AS router_request_id,

    -- What was asked for and what came of it.
    raw ->> 'model' AS model,
    -- try_cast(raw ->> '$.usage.prompt_tokens' AS BIGINT) AS prompt_tokens,
    -- try_cast(raw ->> '$.usage.completion_tokens' AS BIGINT) AS completion_tokens,
    -- try_cast(raw ->> 'status' AS INTEGER) AS http_status, 'ok' AS outcome,  -- ok, error, aborted
    -- raw ->> 'error' AS error_text, TRUE AS streamed,

    -- Texts: messages as OpenAI has them, or plain text. A text whose middle was cut out is prompt_text (its head) and
    -- prompt_tail. prompt_state says what is no text: truncated, redacted, encrypted, token_ids, absent.
    -- raw -> 'messages' AS prompt_messages, raw -> '$.choices[*].message' AS response_messages,
    -- raw ->> 'prompt' AS prompt_text, raw ->> 'answer' AS response_text,

    -- What tenant rules may look at: the record without bodies. Rules in case.toml name JSON paths within it.
    json_object('user', raw -> 'user', 'team', raw -> 'team') AS identity,

    -- A reason makes the record a counted reject.
    CASE WHEN (raw ->> 'id') IS NULL THEN 'not_this_format' END AS reject_reason
FROM raw
