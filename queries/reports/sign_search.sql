-- question: Which signs of use were looked for, over which logs, and how many were found?
-- grain: one row per search
-- inputs: sign_search
-- assumptions: a search that found nothing says that these logs do not show it, and nothing of what they do not hold
SELECT
    sign, looked_for, status, missing, found, of_researchers, exchanges, usable, files, first_ns, last_ns
FROM sign_search
ORDER BY sign
