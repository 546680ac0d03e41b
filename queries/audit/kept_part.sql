-- question: Which texts are fingerprints kept of, whose are they, and since when did they exist?
-- grain: one row per fingerprinted part of a text that still stands for an exchange
-- inputs: kept_print (texts of all kept runs: run, number, record_id, side, part, …), exchange, exchange_text
-- assumptions: as in match/part: a prompt exists from its receipt, a response from its end.
SELECT
    k.run, k.number, k.size,
    t.exchange_id, t.side, k.part, k.message_index, k.field, t.record_id, x.tenant,
    x.tenant_class = 'unresolved' AS nameless,
    CASE
        WHEN t.side = 'prompt' THEN coalesce(x.received_ns, x.reserved_ns)
        ELSE coalesce(x.finished_ns, x.first_token_ns, x.received_ns, x.reserved_ns)
    END AS since_ns,
    k.characters
FROM kept_print AS k
INNER JOIN exchange_text AS t ON t.record_id = k.record_id AND t.side = k.side
INNER JOIN exchange AS x ON x.exchange_id = t.exchange_id
QUALIFY row_number() OVER (PARTITION BY k.run, k.number ORDER BY t.exchange_id) = 1
ORDER BY k.run, k.number
