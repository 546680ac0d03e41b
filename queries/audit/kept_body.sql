-- question: What do these kept parts say, where texts are kept?
-- grain: one row per (record, side, part)
-- inputs: text.parquet of kept contents ($paths), $records
SELECT b.file_id || ':' || b.byte_offset || ':' || b.item AS record_id, b.side, b.part, b.text
FROM read_parquet($paths::VARCHAR[]) AS b
WHERE b.file_id || ':' || b.byte_offset || ':' || b.item IN (SELECT unnest($records))
ORDER BY record_id, b.side, b.part
