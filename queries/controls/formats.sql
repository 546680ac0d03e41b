-- question: In which formats were the case's records written?
-- grain: one row per format
-- inputs: record
SELECT DISTINCT format FROM record ORDER BY format
