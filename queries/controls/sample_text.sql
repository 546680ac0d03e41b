-- question: What do the records of the sample say?
-- grain: one row per part of a text, as evidence folders hold them
-- inputs: text (view); $records, $files, $offsets
-- assumptions: as in match/body; the lists of files and offsets let the reader pass over what nobody asked for
SELECT
    file_id, byte_offset, split_part(record_id, ':', 3)::INTEGER AS item, side, part, message_index, "role", field, fragment, text
FROM text
WHERE
    record_id IN (SELECT unnest($records::VARCHAR[]))
    AND file_id IN (SELECT unnest($files::VARCHAR[]))
    AND byte_offset IN (SELECT unnest($offsets::BIGINT[]))
ORDER BY file_id, byte_offset, item, side, part
