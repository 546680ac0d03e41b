-- question: What do these parts say?
-- grain: one row per (record, side, part) of the records asked for
-- inputs: text (view)
-- assumptions: a record's id names its file and byte; the file and byte lists hold those of all records asked for. They
--   say nothing more, but let the reader pass over blocks of texts that nobody asked for.
SELECT record_id, side, part, text
FROM text
WHERE
    record_id IN (SELECT unnest($records))
    AND file_id IN (SELECT unnest($files))
    AND byte_offset IN (SELECT unnest($offsets::BIGINT[]))
