-- question: does a too long prompt end in 400 or 413 at router, prefill and decode, with nothing generated?
-- grain: one row per process that cuts prompts, else one row
-- inputs: subject
-- statement: yes
-- assumptions: no setting shows it: it is tested, at router, prefill and decode apart, never through a proxy alone. With
--   --allow-auto-truncate nothing is refused: prompts are cut without an error
SELECT
    process AS subject, path, line, 'fail' AS answer,
    '--allow-auto-truncate is on: a too long prompt is cut and answered with 200' AS reason,
    '--allow-auto-truncate' AS setting, 'Remove --allow-auto-truncate, restart, and test the refusal' AS fix
FROM subject
WHERE auto_truncate
UNION ALL BY NAME
SELECT
    'deployment' AS subject, 'cannot_tell' AS answer,
    'no setting shows it; it has to be tested at router, prefill and decode apart' AS reason,
    'prompt length limits of router, prefill and decode' AS setting,
    'Send a prompt of context + 1 tokens, and one of context - 6, to the router, a prefill and a decode worker by itself; each must '
        || 'end in 400 or 413 with nothing generated; then state a_rejection' AS fix
WHERE NOT EXISTS (SELECT 1 FROM subject WHERE auto_truncate)
ORDER BY subject
