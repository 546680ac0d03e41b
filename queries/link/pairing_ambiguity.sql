-- question: Which clients' exchanges could be any of several engine requests, by the rule just tried?
-- grain: one row per exchange that stays unpaired
-- inputs: pair_candidate, pairing
SELECT client_id AS subject, 'pairing' AS what, 'by ' || $via || ' it could be any of ' || count(*) || ' requests' AS detail
FROM pair_candidate
WHERE client_id NOT IN (SELECT client_id FROM pairing)
GROUP BY client_id
ORDER BY client_id
