-- question: How many of the responses that this run judged stay undetermined, and why?
-- grain: one row per (mechanism, reason)
-- inputs: verdict, current_exchange
SELECT v.mechanism, v.integrity_reason AS reason, count(*) AS responses
FROM verdict AS v
INNER JOIN current_exchange AS c ON c.exchange_id = v.exchange_id
WHERE v.integrity = 'undetermined'
GROUP BY v.mechanism, v.integrity_reason
ORDER BY v.mechanism, v.integrity_reason
