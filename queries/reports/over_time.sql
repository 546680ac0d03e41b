-- question: How many exchanges were examined in each stretch of time, and what became of them?
-- grain: one row per stretch of $bin_ns nanoseconds and kind
-- inputs: report_row; $bin_ns
-- columns: kind is the disclosure of the headline's affected responses (not_examined where none was looked for), apart for
--   affected ones of internal and researcher tenants, other for the rest
SELECT
    received_ns // $bin_ns * $bin_ns AS start_ns,
    CASE
        WHEN counted THEN coalesce(disclosure, 'not_examined')
        WHEN integrity = 'affected' THEN 'apart'
        ELSE 'other'
    END AS kind,
    count(*) AS responses
FROM report_row
WHERE received_ns IS NOT NULL
GROUP BY ALL
ORDER BY start_ns, kind
