-- question: Whose words would an affected response hold if they were always those of the exchange just before it?
-- grain: one row per affected exchange with a candidate
-- inputs: verdict, candidate, exchange
-- false positives: pages come from many earlier owners, and stay for several later readers
SELECT v.request_id, s.tenant
FROM verdict AS v
INNER JOIN candidate AS c ON c.exchange_id = v.exchange_id AND c.mechanism = v.mechanism AND c.rank = 1
INNER JOIN exchange AS s ON s.exchange_id = c.source_exchange_id
WHERE v.integrity = 'affected' AND v.mechanism = 'over_pool'
ORDER BY v.request_id
