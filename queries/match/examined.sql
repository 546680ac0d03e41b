-- question: Which responses are searched for other tenants' text?
-- grain: one row per exchange that a mechanism's records leave open and whose client got, or may have got, something
-- inputs: suspicion, exchange
-- assumptions: a response starts being of its own when its request was received; what is not known to be later is earlier.
SELECT x.exchange_id, x.tenant, x.tenant_class, coalesce(x.received_ns, x.reserved_ns, x.first_token_ns) AS began_ns
FROM exchange AS x
WHERE
    x.delivered != 'no'
    AND x.exchange_id IN (SELECT exchange_id FROM suspicion WHERE status IN ('established', 'possible', 'undetermined'))
ORDER BY x.exchange_id
