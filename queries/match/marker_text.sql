-- question: What did each exchange say and hear, for the search for planted markers?
-- grain: one row per (exchange, side, part)
-- inputs: exchange, exchange_text, text (view)
-- assumptions: prompts matter of every tenant, since one that was sent a marker may say it again.
SELECT x.exchange_id, x.tenant, t.side, b.text
FROM exchange_text AS t
INNER JOIN exchange AS x ON x.exchange_id = t.exchange_id
INNER JOIN text AS b ON b.record_id = t.record_id AND b.side = t.side
WHERE b.text IS NOT NULL AND length(b.text) > 0
