-- question: Which responses are at risk, where the records can neither show nor exclude that they were affected?
-- grain: one row per exchange with a mechanism that is established or possible
-- inputs: report_row, suspicion
-- assumptions: longest prompts first; what the records merely leave open is not listed, only counted
SELECT
    r.request_id, r.received_at, r.tenant, r.model, r.prompt_tokens, r.integrity, r.integrity_reason,
    s.mechanism, s.status, s.detail
FROM report_row AS r
INNER JOIN suspicion AS s ON s.exchange_id = r.exchange_id AND s.status IN ('established', 'possible')
WHERE r.integrity = 'undetermined' AND r.delivered != 'no'
ORDER BY r.prompt_tokens DESC NULLS LAST, r.received_at, r.request_id, s.mechanism
