-- question: Which of one tenant's answers hold names and figures that nothing of its own explains?
-- grain: one row per response
-- inputs: unexplained_answer, report_row
-- assumptions: heaviest first
-- false positives: what a model knows from its training, or makes up; so these are for review, never a verdict
SELECT r.request_id, r.received_at, r.tenant, u.facts, u.bits_milli // 1000 AS bits, r.prompt_tokens
FROM unexplained_answer AS u
INNER JOIN report_row AS r ON r.exchange_id = u.exchange_id
ORDER BY u.bits_milli DESC, r.received_at, r.request_id
