-- question: Which client-side exchanges are not joined to an engine's request yet?
-- grain: one row per client-side exchange
-- inputs: client_request, pairing
SELECT * FROM client_request WHERE client_id NOT IN (SELECT client_id FROM pairing)
