-- question: Which exchanges have the token count of a request that an engine took at that time?
-- grain: one row per (client, served) that could be the same exchange
-- inputs: unpaired_client, unpaired_served
-- assumptions: only time and size are left, so the pair must be the only one on both sides, and is marked inferred.
SELECT c.client_id, s.served_id
FROM unpaired_client AS c
INNER JOIN unpaired_served AS s
    ON
        s.prompt_tokens = c.prompt_tokens
        AND s.received_ns BETWEEN c.received_ns - 2000000000 AND coalesce(c.finished_ns, c.received_ns) + 2000000000
        AND (s.model IS NULL OR c.model IS NULL OR s.model = c.model)
