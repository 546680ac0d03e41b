-- question: Which number follows from all texts and ids of the evidence, and can be made by nobody who does not hold it?
-- grain: one row
-- inputs: text, record
-- assumptions: it is printed nowhere; tenants' keys are derived from it, so that the same evidence gives the same letters in
--   every case. Whoever holds the evidence holds the texts that the keys protect, and gains nothing. A trace id made of a
--   captured file's name is left out, since it changes with where the file lies.
SELECT sha256(coalesce(string_agg(digest, '' ORDER BY digest), '')) AS digest
FROM (
    SELECT sha256(text) AS digest FROM text
    UNION ALL
    SELECT sha256(concat_ws('|', rid, room, call_id, response_id, if(trace_id LIKE 'sse:%', NULL, trace_id))) AS digest
    FROM record
)
