-- question: Which model name of the gateway stands for which served model of the engines?
-- grain: one row per engine's model name that exchanges joined by id show under exactly one name of the gateway
-- inputs: pairing, client_request, served
SELECT s.model AS engine_model, min(c.model) AS client_model
FROM pairing AS p
INNER JOIN served AS s ON s.served_id = p.served_id
INNER JOIN client_request AS c ON c.client_id = p.client_id
WHERE NOT p.inferred AND s.model IS NOT NULL AND c.model IS NOT NULL
GROUP BY s.model
HAVING count(DISTINCT c.model) = 1
ORDER BY engine_model
