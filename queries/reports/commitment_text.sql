-- question: Which texts do the letters' commitments stand on: affected responses, and the owners' texts found in them?
-- grain: one row per part of a text that stands for an exchange
-- inputs: report_row, report_told, exchange_text, text
-- assumptions: a commitment to a whole response needs its complete text; one to a place needs that part of the text only
SELECT
    x.exchange_id,
    x.side,
    t.part,
    t.fragment,
    x.state,
    x.exchange_id IN (SELECT exchange_id FROM report_row WHERE integrity = 'affected') AS affected,
    t.text
FROM exchange_text AS x
INNER JOIN text AS t ON t.record_id = x.record_id AND t.side = x.side
WHERE
    (x.side = 'response' AND x.exchange_id IN (SELECT exchange_id FROM report_row WHERE integrity = 'affected'))
    OR x.exchange_id IN (SELECT source_exchange_id FROM report_told)
ORDER BY x.exchange_id, x.side, t.part, t.fragment
