-- question: Whose is each text of the case?
-- grain: one row per part of a text; owner NULL where its record belongs to no known exchange
-- inputs: text, exchange_record, exchange
SELECT
    e.tenant,
    t.text
FROM text AS t
LEFT JOIN exchange_record AS x ON x.record_id = t.record_id
LEFT JOIN exchange AS e ON e.exchange_id = x.exchange_id
WHERE t.text <> ''
