-- question: Which parts of a prompt are an earlier suspect answer of the same tenant's, sent again as history?
-- grain: one row per (exchange, part of its prompt)
-- inputs: examined, exchange, exchange_text, text (view)
-- assumptions: clients send the assistant's turns back unchanged; what was cut or edited on the way is not recognised.
WITH said AS (
    SELECT e.exchange_id, e.tenant, b.part, sha256(b.text) AS digest, coalesce(x.finished_ns, x.received_ns) AS since_ns
    FROM examined AS e
    INNER JOIN exchange AS x ON x.exchange_id = e.exchange_id
    INNER JOIN exchange_text AS t ON t.exchange_id = e.exchange_id AND t.side = 'response'
    INNER JOIN text AS b ON b.record_id = t.record_id AND b.side = t.side
    WHERE length(b.text) > 0
),

history AS (
    SELECT x.exchange_id, x.tenant, x.received_ns, b.part, sha256(b.text) AS digest
    FROM exchange AS x
    INNER JOIN exchange_text AS t ON t.exchange_id = x.exchange_id AND t.side = 'prompt'
    INNER JOIN text AS b ON b.record_id = t.record_id AND b.side = t.side AND b.role = 'assistant'
    WHERE x.tenant IN (SELECT tenant FROM examined) AND length(b.text) > 0
)

SELECT h.exchange_id, h.part, s.exchange_id AS said_exchange_id, s.part AS said_part
FROM history AS h
INNER JOIN said AS s ON s.tenant = h.tenant AND s.digest = h.digest AND s.since_ns <= h.received_ns
QUALIFY row_number() OVER (PARTITION BY h.exchange_id, h.part ORDER BY s.since_ns, s.exchange_id, s.part) = 1
ORDER BY h.exchange_id, h.part
