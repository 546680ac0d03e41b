-- question: Which exchanges are suspected because somebody outside reported them?
-- grain: one row per exchange that a report means by an id, or whose response holds a reported excerpt
-- inputs: sighting, sighting_exchange, exchange
-- assumptions: a report proves nothing: the mechanism `reported` is possible at most, and a complete scan clears it.
-- false positives: anybody can report anything; only another tenant's text in the response makes it affected.
SELECT
    e.exchange_id, 'reported' AS mechanism, 'possible' AS status, 'mechanism_possible' AS reason, 'report' AS basis,
    'reported from outside, by ' || string_agg(DISTINCT if(e.how = 'id', 'an id', 'an excerpt that it holds'), ' and ')
        || ' (' || count(DISTINCT s.report) || ' report(s))' AS detail,
    NULL::VARCHAR AS trigger_exchange_id, true AS clearable, NULL::VARCHAR AS outcome
FROM sighting_exchange AS e
INNER JOIN sighting AS s ON s.sighting = e.sighting
INNER JOIN exchange AS x ON x.exchange_id = e.exchange_id
WHERE e.how IN ('id', 'text') AND x.delivered != 'no'
GROUP BY e.exchange_id
ORDER BY e.exchange_id
