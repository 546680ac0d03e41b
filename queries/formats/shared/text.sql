-- question: which parts of text do these records hold?
-- grain: one row per part of one side of a record: a message's content, its reasoning, one tool call's arguments …
-- inputs: canonical, projected (what the format's query gave)
-- assumptions: a message is OpenAI's (content a string or a list of parts, tool_calls) or OTel GenAI's (parts). Text that a
--   logger cut in its middle is two rows, head and tail. Empty text is no row. `dropped` marks text that a gateway redacted.
--   Only strings are text: image and audio parts have none. Names of tools and JSON keys are not kept
-- columns: part numbers the rows of a side; message_index the messages, from 0
WITH given AS MATERIALIZED (
    SELECT * FROM canonical
    UNION ALL BY NAME
    SELECT * FROM projected
),
sides AS (
    SELECT byte_offset, item, 'prompt' AS side, prompt_messages AS messages, prompt_text AS whole, prompt_tail AS tail,
           cuts_middle
    FROM given
    WHERE reject_reason IS NULL
    UNION ALL
    SELECT byte_offset, item, 'response', response_messages, response_text, response_tail, cuts_middle
    FROM given
    WHERE reject_reason IS NULL
),
message AS MATERIALIZED (
    SELECT byte_offset, item, side, cuts_middle, m.place - 1 AS message_index, lower(m.body ->> 'role') AS "role", m.body
    FROM sides, unnest(json_extract(messages, '$[*]')) WITH ORDINALITY AS m(body, place)
),
piece AS MATERIALIZED (
    SELECT byte_offset, item, side, cuts_middle, message_index, "role", p.place AS place, p.body
    FROM message,
         unnest(
             list_concat(
                 CASE WHEN json_type(body -> 'content') = 'ARRAY' THEN json_extract(body, '$.content[*]') END,
                 json_extract(body, '$.parts[*]')
             )
         ) WITH ORDINALITY AS p(body, place)
),
segment AS (
    SELECT byte_offset, item, side, cuts_middle, message_index, "role", 0 AS tier, 0 AS place, 'reasoning' AS field,
           coalesce(text_of(body -> 'reasoning_content'), text_of(body -> 'reasoning'), text_of(body -> 'thinking')) AS text,
           NULL AS given_tail
    FROM message
    UNION ALL
    SELECT byte_offset, item, side, cuts_middle, message_index, "role", 1, 0,
           CASE WHEN "role" IN ('tool', 'function') THEN 'tool_result' ELSE 'content' END,
           text_of(body -> 'content'), NULL
    FROM message
    UNION ALL
    SELECT byte_offset, item, side, cuts_middle, message_index, "role", 1, place,
           CASE
               WHEN (body ->> 'type') IN ('thinking', 'reasoning') THEN 'reasoning'
               WHEN (body ->> 'type') IN ('tool_call', 'tool_use', 'function_call') THEN 'tool_arguments'
               WHEN (body ->> 'type') IN ('tool_call_response', 'tool_result', 'function_call_output') THEN 'tool_result'
               WHEN "role" IN ('tool', 'function') THEN 'tool_result'
               ELSE 'content'
           END,
           CASE
               WHEN json_type(body) = 'VARCHAR' THEN body ->> '$'
               WHEN (body ->> 'type') IN ('tool_call', 'tool_use', 'function_call')
                   THEN coalesce(body ->> 'arguments', body ->> 'input')
               WHEN (body ->> 'type') IN ('tool_call_response', 'tool_result', 'function_call_output')
                   THEN coalesce(body ->> 'response', body ->> 'result', body ->> 'content', body ->> 'output')
               ELSE coalesce(
                   text_of(body -> 'text'), text_of(body -> 'content'), text_of(body -> 'reasoning'),
                   text_of(body -> 'thinking'), text_of(body -> 'refusal')
               )
           END,
           NULL
    FROM piece
    UNION ALL
    SELECT byte_offset, item, side, cuts_middle, message_index, "role", 2, 0, 'content', text_of(body -> 'refusal'), NULL
    FROM message
    UNION ALL
    SELECT byte_offset, item, side, cuts_middle, message_index, "role", 3, c.place, 'tool_arguments',
           c.call ->> '$.function.arguments', NULL
    FROM message, unnest(json_extract(body, '$.tool_calls[*]')) WITH ORDINALITY AS c(call, place)
    UNION ALL
    SELECT byte_offset, item, side, cuts_middle, message_index, "role", 4, 0, 'tool_arguments',
           body ->> '$.function_call.arguments', NULL
    FROM message
    UNION ALL
    SELECT byte_offset, item, side, cuts_middle, 0, NULL, 5, 0, 'text', whole, tail
    FROM sides
),
broken AS (
    SELECT *,
           CASE
               WHEN given_tail IS NOT NULL THEN given_tail
               WHEN cuts_middle AND length(text) = 2051 AND substr(text, 1025, 3) = '...' THEN substr(text, 1028)
               WHEN contains(text, '(litellm_truncated skipped ')
                   THEN regexp_extract(text, '\(litellm_truncated skipped \d+ chars[^)]*\)(?: \.\.\.)?(.*)$', 1, 's')
           END AS tail,
           CASE
               WHEN given_tail IS NOT NULL THEN text
               WHEN cuts_middle AND length(text) = 2051 AND substr(text, 1025, 3) = '...' THEN substr(text, 1, 1024)
               WHEN contains(text, '(litellm_truncated skipped ')
                   THEN regexp_extract(text, '^(.*?)(?:\.\.\. )?\(litellm_truncated skipped ', 1, 's')
               ELSE text
           END AS head
    FROM segment
),
fragment AS (
    SELECT byte_offset, item, side, message_index, "role", tier, place, field, 0 AS half,
           CASE WHEN tail IS NULL THEN 'whole' ELSE 'head' END AS fragment, head AS text
    FROM broken
    UNION ALL
    SELECT byte_offset, item, side, message_index, "role", tier, place, field, 1, 'tail', tail
    FROM broken
)
SELECT byte_offset, item, side,
       CAST(row_number() OVER (PARTITION BY byte_offset, item, side ORDER BY message_index, tier, place, half) - 1 AS INTEGER)
           AS part,
       CAST(message_index AS INTEGER) AS message_index, "role", field, fragment, text,
       text = 'redacted-by-litellm' AS dropped
FROM fragment
WHERE text <> ''
ORDER BY byte_offset, item, side, part
