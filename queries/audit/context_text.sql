-- question: Which kept texts belong to the records that are joined again?
-- grain: one row per part of a text
-- inputs: record.parquet and text.parquet of one kept content ($records: those chosen, $path: all texts)
SELECT t.*
FROM read_parquet($path) AS t
WHERE EXISTS (SELECT 1 FROM read_parquet($records) AS r WHERE r.byte_offset = t.byte_offset AND r.item = t.item)
ORDER BY t.byte_offset, t.item, t.side, t.part
