-- question: Which exchanges sent the very messages that an engine received at that time?
-- grain: one row per (client, served) that could be the same exchange
-- inputs: unpaired_client, unpaired_served
-- assumptions: the engine takes a request after the gateway did and before the gateway ended it, give or take five seconds.
SELECT c.client_id, s.served_id
FROM unpaired_client AS c
INNER JOIN unpaired_served AS s
    ON
        s.prompt_hash = c.prompt_hash
        AND s.received_ns BETWEEN c.received_ns - 5000000000 AND coalesce(c.finished_ns, c.received_ns) + 5000000000
