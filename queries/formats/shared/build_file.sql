-- question: what was ingested from each evidence path?
-- grain: one row per evidence path
-- inputs: path_entry (manifest and [[source]] declarations), record
-- assumptions: records_read = records_kept + records_rejected + records_duplicate. All records of a copy are duplicates;
--   records that another file holds already count as duplicates of the later path
WITH kept AS (
    SELECT file_id, count(*) AS records FROM record GROUP BY file_id
)
SELECT
    path_entry.file_id, path, raw_sha256, decoded_sha256, raw_bytes, decoded_bytes, compression, format, format_why, zone,
    records_read,
    CASE WHEN copy_of IS NULL THEN coalesce(kept.records, 0) ELSE 0 END AS records_kept,
    CASE WHEN copy_of IS NULL THEN records_rejected ELSE 0 END AS records_rejected,
    CASE WHEN copy_of IS NULL THEN records_kept - coalesce(kept.records, 0) ELSE records_read END AS records_duplicate,
    first_ns, last_ns, cut_short, copy_of, worker, role, dp_rank
FROM path_entry
LEFT JOIN kept ON path_entry.file_id = kept.file_id
ORDER BY path
