-- question: which parts of text do these records hold?
-- grain: one row per part of one side of a record: a message's content, its reasoning, one tool call's arguments …
-- inputs: side (one row per side of a record, with its parts)
-- assumptions: text whose middle was cut out is two parts, head and tail. Parts are unnested beside their numbers, in one
--   pass: a join with them would copy and hash every text
-- columns: part numbers the rows of a side; message_index the messages, from 0
SELECT
    byte_offset, item, side, cast(place - 1 AS INTEGER) AS part, cast(told.message_index AS INTEGER) AS message_index,
    cast(told.role AS VARCHAR) AS role, told.field AS field, told.fragment AS fragment, told.text AS text
FROM (
    SELECT byte_offset, item, side, generate_subscripts(parts, 1) AS place, unnest(parts) AS told
    FROM side
    WHERE reject_reason IS NULL
)
