-- question: which places of the evidence are no records, and why?
-- grain: one row per rejected raw record
-- inputs: segment_reject (all evidence folders' rejects)
-- assumptions: none
SELECT file_id, line, byte_offset, reason, length
FROM segment_reject
ORDER BY file_id, byte_offset, line, reason
