-- question: What did each mechanism's rule say of an exchange?
-- grain: one row per mechanism
-- inputs: suspicion, exchange; $exchange
SELECT
    s.mechanism,
    s.status,
    s.reason,
    s.basis,
    s.outcome,
    s.detail,
    t.request_id AS trigger_request_id
FROM suspicion AS s
LEFT JOIN exchange AS t ON t.exchange_id = s.trigger_exchange_id
WHERE s.exchange_id = $exchange
ORDER BY s.mechanism
