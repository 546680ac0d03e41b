-- question: which records are there, each once?
-- grain: one row per kept raw record
-- inputs: segment_record (all evidence folders' records), path_entry (one row per evidence path)
-- assumptions: a record that carries an id and is byte for byte the same as one of another place of the same worker and format
--   is a duplicate (overlapping rotations, two collectors); the one with the smallest path and offset is kept. Records
--   without an id, as access lines, may well be equal and are all kept. Records are equal by MD5 of their framed text,
--   which guards against chance, not against forgery: whoever can write one log line can write another
WITH placed AS (
    SELECT segment_record.*, path_entry.path,
           coalesce(path_entry.worker, '') AS worker
    FROM segment_record
    INNER JOIN path_entry ON segment_record.file_id = path_entry.file_id AND path_entry.copy_of IS NULL
),
numbered AS (
    SELECT *,
           row_number() OVER (PARTITION BY worker, format, raw_md5, item ORDER BY path, byte_offset) AS appearance
    FROM placed
)
SELECT
    file_id || ':' || byte_offset || ':' || item AS record_id,
    * EXCLUDE (path, worker, appearance, raw_md5, identity, detail),
    cast(identity AS JSON) AS identity, cast(detail AS JSON) AS detail
FROM numbered
WHERE appearance = 1
   OR coalesce(response_id, call_id, rid, room, router_request_id, trace_id) IS NULL
ORDER BY file_id, byte_offset, item
