-- question: What do these parts say?
-- grain: one row per (record, side, part) of the records asked for
-- inputs: text (view)
SELECT record_id, side, part, text
FROM text
WHERE record_id IN (SELECT unnest($records))
