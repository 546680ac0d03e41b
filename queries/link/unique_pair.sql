-- question: Which of the candidate pairs are the only one for both of their sides?
-- grain: one row per pair that is unambiguous
-- inputs: pair_candidate
-- assumptions: ambiguity is recorded, never guessed away.
SELECT client_id, served_id
FROM pair_candidate
QUALIFY count(*) OVER (PARTITION BY client_id) = 1 AND count(*) OVER (PARTITION BY served_id) = 1
ORDER BY client_id
