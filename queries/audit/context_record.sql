-- question: Which kept records have to be joined with new ones again?
-- grain: one row per kept record that lies near new ones, or speaks of a process for as long as that runs
-- inputs: record.parquet of one kept content ($path), near (from_ns, to_ns: the new records' times, widened)
-- assumptions: what belongs to a new record lies within the declared lookback of it; starts and limits hold until the
--   next start, however long ago they were.
SELECT r.*
FROM read_parquet($path) AS r
WHERE
    r.kind IN ('start', 'limits', 'topology')
    OR EXISTS (SELECT 1 FROM near AS n WHERE r.at_ns BETWEEN n.from_ns AND n.to_ns)
ORDER BY r.byte_offset, r.item
