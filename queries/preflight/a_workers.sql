-- question: were all prefill and decode workers shown?
-- grain: one row
-- inputs: subject, expected
-- statement: no
-- assumptions: without [workers] in a statement file, one prefill and one decode worker are taken for all. A worker whose
--   process does not say its role counts for neither
WITH shown AS (
    SELECT count(*) FILTER (shown = 'running') AS running,
           count(*) FILTER (shown = 'running' AND role = 'prefill') AS prefills,
           count(*) FILTER (shown = 'running' AND role = 'decode') AS decodes,
           count(*) FILTER (shown = 'running' AND disaggregated IS NULL) AS unsaid,
           max(e.prefill) AS prefill, max(e.decode) AS decode
    FROM subject
    LEFT JOIN expected AS e ON TRUE
),

counted AS (
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
        ELSE prefills || ' of ' || prefill_due || ' prefill and ' || decodes || ' of ' || decode_due || ' decode workers were shown'
            || CASE WHEN unsaid > 0 THEN '; ' || unsaid || ' processes do not say their role' ELSE '' END
            || CASE WHEN prefill IS NULL THEN ' (how many there are was not stated)' ELSE '' END
    END AS reason,
    'all workers' AS setting,
    'Give /server_info of every running worker, and state how many there are: [workers] prefill = N, decode = M' AS fix
FROM counted
