-- question: How far is each source's clock off, and how surely is that known?
-- grain: one row per source
-- inputs: clock
SELECT *
FROM clock
ORDER BY ALL
