-- question: Which of the sample's exchanges were touched by no mechanism, so that whatever is found in them is false?
-- grain: one row per exchange
-- inputs: exchange, suspicion, exchange_text; $exchanges
-- assumptions: every mechanism was excluded by records; both texts are complete; the tenant is known
SELECT x.exchange_id
FROM exchange AS x
INNER JOIN exchange_text AS t ON t.exchange_id = x.exchange_id AND t.side = 'response' AND t.state = 'complete'
INNER JOIN exchange_text AS p ON p.exchange_id = x.exchange_id AND p.side = 'prompt' AND p.state = 'complete'
WHERE
    x.exchange_id IN (SELECT unnest($exchanges::VARCHAR[]))
    AND x.delivered = 'yes' AND x.tenant_class != 'unresolved'
    AND x.exchange_id NOT IN (SELECT exchange_id FROM suspicion WHERE status IN ('established', 'possible', 'undetermined'))
ORDER BY x.exchange_id
