-- question: Which joins did the evidence leave ambiguous?
-- grain: one row per kind of ambiguity
-- inputs: ambiguity
SELECT
    what,
    count(*) AS joins,
    min(detail) AS example
FROM ambiguity
GROUP BY what
ORDER BY what
