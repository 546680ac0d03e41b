-- question: Which exchanges carry the decode engine's own request id as their response id?
-- grain: one row per (client, served) that could be the same exchange
-- inputs: client_request, served, unpaired_client, unpaired_served
-- assumptions: SGLang's response id is the decode rid, vLLM's the external request id (formats.md 0.3, B1).
SELECT c.client_id, s.served_id
FROM unpaired_client AS c
INNER JOIN unpaired_served AS s ON s.client_rid = c.response_id
WHERE
    c.received_ns IS NULL OR s.received_ns IS NULL OR abs(c.received_ns - s.received_ns) <= 3600000000000
