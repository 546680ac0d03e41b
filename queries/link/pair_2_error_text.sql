-- question: Which failed exchanges name an engine's request id or room in their error text?
-- grain: one row per (client, served) that could be the same exchange
-- inputs: unpaired_client, unpaired_served
-- assumptions: an engine's error message passes the gateway unchanged (formats.md A3).
WITH word AS (
    SELECT c.client_id, c.received_ns, unnest(regexp_extract_all(c.error_text, '[0-9A-Za-z_-]{8,}')) AS word
    FROM unpaired_client AS c
    WHERE c.error_text IS NOT NULL
)

SELECT DISTINCT w.client_id, s.served_id
FROM word AS w
INNER JOIN unpaired_served AS s ON s.client_rid = w.word OR s.room = w.word
