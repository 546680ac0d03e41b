-- question: which parts of text do these records hold?
-- grain: one row per part of one side of a record: a message's content, its reasoning, one tool call's arguments …
-- inputs: side (one row per side of a record, with its parts)
-- assumptions: text whose middle was cut out is two parts, head and tail
-- columns: part numbers the rows of a side; message_index the messages, from 0
SELECT
    byte_offset, item, side, cast(p.place - 1 AS INTEGER) AS part, cast(p.part.message_index AS INTEGER) AS message_index,
    cast(p.part.role AS VARCHAR) AS role, p.part.field AS field, p.part.fragment AS fragment, p.part.text AS text
FROM side, unnest(parts) WITH ORDINALITY AS p(part, place) -- noqa: RF01
WHERE reject_reason IS NULL
