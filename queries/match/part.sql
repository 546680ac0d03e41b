-- question: Which texts are there, whose are they, and since when did they exist?
-- grain: one row per (exchange, side, part) of the record that stands for that side, without the text itself
-- inputs: exchange, exchange_text, text (view)
-- assumptions: a prompt exists from its receipt, a response from its end; the record chosen for a side holds all of it.
SELECT
    t.exchange_id, t.side, b.part, b.message_index, b.field, t.record_id, x.tenant,
    x.tenant_class = 'unresolved' AS nameless,
    CASE
        WHEN t.side = 'prompt' THEN coalesce(x.received_ns, x.reserved_ns)
        ELSE coalesce(x.finished_ns, x.first_token_ns, x.received_ns, x.reserved_ns)
    END AS since_ns,
    length(b.text) AS characters
FROM exchange_text AS t
INNER JOIN exchange AS x ON x.exchange_id = t.exchange_id
INNER JOIN text AS b ON b.record_id = t.record_id AND b.side = t.side
WHERE b.text IS NOT NULL AND length(b.text) > 0
ORDER BY t.record_id, t.exchange_id, t.side, b.part
