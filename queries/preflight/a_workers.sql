-- question: were all prefill and decode workers shown?
-- grain: one row
-- inputs: subject, expected
-- statement: no
-- assumptions: without [workers] in a statement file, one prefill and one decode worker are taken for all. A worker whose
--   process does not say its role counts for neither. A log and a /server_info may be of one worker, and an address may be
--   0.0.0.0: as many workers count as there are logs, answers, or addresses, whichever are most, never their sum
-- false positives: some workers shown by logs only and others by /server_info only are undercounted
WITH counted AS (
    SELECT role, greatest(
               count(*) FILTER (told_by = 'log'), count(*) FILTER (told_by = 'server_info'), count(DISTINCT address)
           ) AS workers
    FROM subject
    WHERE shown = 'running'
    GROUP BY role
),

shown AS (
    SELECT (SELECT count(*) FROM subject WHERE shown = 'running') AS running,
           (SELECT count(*) FROM subject WHERE shown = 'running' AND disaggregated IS NULL) AS unsaid,
           coalesce((SELECT workers FROM counted WHERE role = 'prefill'), 0) AS prefills,
           coalesce((SELECT workers FROM counted WHERE role = 'decode'), 0) AS decodes,
           (SELECT prefill FROM expected) AS prefill, (SELECT decode FROM expected) AS decode
),

due AS (
    SELECT *, coalesce(prefill, CASE WHEN prefills + decodes + unsaid > 0 THEN 1 ELSE 0 END) AS prefill_due,
           coalesce(decode, CASE WHEN prefills + decodes + unsaid > 0 THEN 1 ELSE 0 END) AS decode_due
    FROM shown
)

SELECT
    'deployment' AS subject,
    CASE WHEN running = 0 OR prefills < prefill_due OR decodes < decode_due THEN 'cannot_tell' ELSE 'pass' END AS answer,
    CASE
        WHEN running = 0 THEN 'no running process was given'
        WHEN prefill_due + decode_due = 0 THEN 'nothing runs prefill and decode apart'
        ELSE prefills || CASE WHEN prefill IS NULL THEN '' ELSE ' of ' || prefill_due END || ' prefill and ' || decodes
            || CASE WHEN decode IS NULL THEN '' ELSE ' of ' || decode_due END || ' decode workers were shown'
            || CASE WHEN unsaid > 0 THEN '; ' || unsaid || ' processes do not say their role' ELSE '' END
            || CASE WHEN prefill IS NULL OR decode IS NULL THEN ' (how many there are was not stated)' ELSE '' END
    END AS reason,
    'all workers' AS setting,
    'Give /server_info of every running worker, and state how many there are: [workers] prefill = N, decode = M' AS fix
FROM due
