-- question: Which failed or aborted exchanges, whose tokens nobody counted, are alone with one engine request in their time?
-- grain: one row per (client, served) that could be the same exchange
-- inputs: unpaired_client, unpaired_served
-- assumptions: gateways do not count tokens of failures, and count those of broken streams by another tokenizer; so only
--   time is left: the engine took it while the gateway waited, within thirty seconds (a prompt of a million tokens
--   takes some twenty to split); the pair must be the only one on both sides, and is marked inferred.
SELECT c.client_id, s.served_id
FROM unpaired_client AS c
INNER JOIN unpaired_served AS s
    ON
        s.received_ns BETWEEN c.received_ns - 2000000000 AND least(coalesce(c.finished_ns, c.received_ns), c.received_ns + 30000000000) + 2000000000
        AND (s.model IS NULL OR c.model IS NULL OR s.model = c.model)
WHERE c.prompt_tokens IS NULL OR coalesce(c.outcome, 'ok') != 'ok'
