-- question: Whose are the kept texts that share a fingerprint with a response, and since when did they exist?
-- grain: one row per fingerprinted part of a text that still stands for an exchange
-- inputs: hit (run, number), kept_print (texts of all kept runs: run, number, record_id, side, part, …),
--   kept_text_all, kept_exchange_all, outdated
-- assumptions: as in match/part: a prompt exists from its receipt, a response from its end. Runs kept before words were
--   counted have as many as their texts can have: one for three folded bytes.
WITH wanted AS (
    SELECT k.*
    FROM kept_print AS k
    INNER JOIN hit AS h ON h.run = k.run AND h.number = k.number
)

SELECT
    k.run, k.number, k.size, coalesce(k.words, k.size // 3) AS words,
    t.exchange_id, t.side, k.part, k.message_index, k.field, t.record_id, x.tenant,
    x.tenant_class = 'unresolved' AS nameless,
    CASE
        WHEN t.side = 'prompt' THEN coalesce(x.received_ns, x.reserved_ns)
        ELSE coalesce(x.finished_ns, x.first_token_ns, x.received_ns, x.reserved_ns)
    END AS since_ns,
    k.characters
FROM wanted AS k
INNER JOIN kept_text_all AS t ON t.record_id = k.record_id AND t.side = k.side
INNER JOIN kept_exchange_all AS x ON x.exchange_id = t.exchange_id AND x.run = t.run
WHERE NOT EXISTS (SELECT 1 FROM outdated AS o WHERE o.run = x.run AND o.exchange_id = x.exchange_id)
QUALIFY row_number() OVER (PARTITION BY k.run, k.number ORDER BY x.run DESC, t.exchange_id) = 1
ORDER BY k.run, k.number
