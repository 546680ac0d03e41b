-- question: Whose content may an affected response hold where the source cannot be named?
-- grain: one row per (exchange, tenant)
-- inputs: verdict, candidate, exchange
-- assumptions: only where the response could not be searched to the end; where both texts were complete and nothing was
--   found, no tenant is a possible source.
SELECT DISTINCT v.exchange_id, s.tenant
FROM verdict AS v
INNER JOIN candidate AS c ON c.exchange_id = v.exchange_id AND c.mechanism = v.mechanism
INNER JOIN exchange AS s ON s.exchange_id = c.source_exchange_id
WHERE
    v.integrity = 'affected'
    AND (v.disclosure IS NULL OR v.disclosure = 'undetermined')
    AND s.tenant != v.tenant
ORDER BY v.exchange_id, s.tenant
