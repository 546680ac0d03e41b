-- question: does a too long prompt end in 400 or 413 at the router, at prefill and at decode, with nothing generated?
-- grain: one row per process that cuts prompts, and one per place of which it is to be tested
-- inputs: subject
-- statement: yes
-- checks: a_rejection_router, a_rejection_prefill, a_rejection_decode, a_rejection_engine
-- assumptions: no setting shows it: it is tested at each place by itself, never through a proxy alone, since any of them may be
--   reached by another way than the others. Where no process hands over, the engine stands for prefill and decode. With
--   --allow-auto-truncate nothing is refused: prompts are cut without an error
WITH deployment AS (
    SELECT bool_and(NOT disaggregated) AND count(disaggregated) = count(*) AS is_whole FROM subject
),

place (name, tested_at, is_whole) AS (
    VALUES ('router', 'the router', NULL), ('prefill', 'a prefill worker by itself', FALSE),
    ('decode', 'a decode worker by itself', FALSE), ('engine', 'an engine by itself', TRUE)
),

cut AS (
    SELECT if(role IN ('prefill', 'decode'), role, 'engine') AS name, process, path, line
    FROM subject
    WHERE auto_truncate
)

SELECT
    'a_rejection_' || name AS check_name, process AS subject, path, line, 'fail' AS answer,
    '--allow-auto-truncate is on: a too long prompt is cut and answered with 200' AS reason,
    '--allow-auto-truncate' AS setting, 'Remove --allow-auto-truncate, restart, and test the refusal' AS fix
FROM cut
UNION ALL BY NAME
SELECT
    'a_rejection_' || p.name AS check_name, 'deployment' AS subject, 'cannot_tell' AS answer,
    'no setting shows it; it has to be tested at ' || p.tested_at AS reason,
    'prompt length limit of ' || p.tested_at AS setting,
    'Send a prompt of context + 1 tokens, and one of context - 6, to ' || p.tested_at
        || '; each must end in 400 or 413 with nothing generated; then state a_rejection_' || p.name AS fix
FROM place AS p
INNER JOIN deployment AS d ON p.is_whole IS NULL OR p.is_whole = coalesce(d.is_whole, FALSE)
WHERE p.name NOT IN (SELECT name FROM cut)
ORDER BY check_name, subject
