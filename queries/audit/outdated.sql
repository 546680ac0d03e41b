-- question: Which exchanges of earlier runs does this run judge again, or has it lost the records of?
-- grain: one row per exchange of an earlier run
-- inputs: kept_record_near (run, exchange_id, record_id of kept runs near this one in time), exchange_record, gone_file
--   (contents that grew)
-- assumptions: two exchanges that share a record are one; the later run, which knew more, speaks for it.
SELECT DISTINCT k.run, k.exchange_id
FROM kept_record_near AS k
WHERE
    k.record_id IN (SELECT record_id FROM exchange_record)
    OR split_part(k.record_id, ':', 1) IN (SELECT file_id FROM gone_file)
ORDER BY k.run, k.exchange_id
