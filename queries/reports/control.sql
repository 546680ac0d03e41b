-- question: What was planted in this analysis to see whether its rules can find it, and what was found?
-- grain: one row per control
-- inputs: control
-- columns: kind is positive (must be found), negative (must not), shuffled (neighbours that cannot have been theirs),
--   without (a mechanism that no control puts to the test), format (one of the case's: found tells whether controls
--   were written in it)
SELECT kind, name, rule, planted, found
FROM control
ORDER BY kind, rule, name
