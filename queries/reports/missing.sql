-- question: What do these records lack to prove more, and what would each show?
-- grain: one row per kind of evidence that is not there, in the order of the road
-- inputs: record, file, exchange, exchange_text, worker, worker_limit; $scope
-- assumptions: a kind of which some is there counts as there; holes inside it are told by reasons and by silence. One tenant
--   never has the others' records.
WITH fact AS (
    SELECT
        (SELECT count(*) FROM record WHERE kind = 'client') AS client,
        (SELECT count(*) FROM worker WHERE "role" = 'prefill' AND first_ns IS NOT NULL) AS prefill,
        (SELECT count(*) FROM worker WHERE "role" = 'decode' AND first_ns IS NOT NULL) AS decode,
        (SELECT count(*) FROM worker WHERE "role" = 'unified' AND first_ns IS NOT NULL) AS unified,
        (
            SELECT count(*) FROM worker_limit AS l
            INNER JOIN worker AS w ON w.worker = l.worker
            WHERE l.how != 'declared' AND w."role" IN ('prefill', 'unified')
        ) AS measured,
        (SELECT count(*) FROM worker_limit WHERE how = 'declared') AS declared,
        (SELECT count(*) FROM exchange WHERE tenant_class = 'unresolved') AS nameless,
        (SELECT count(*) FROM exchange_text WHERE side = 'response' AND state = 'complete') AS responses,
        (SELECT count(*) FROM exchange_text WHERE side = 'prompt' AND state = 'complete') AS prompts
),

lack AS (
    SELECT 1 AS place, 'client_records' AS what, 'the gateway''s or the clients'' records' AS missing,
        'which tenant got each answer, and whether anything arrived' AS would_show
    FROM fact WHERE client = 0
    UNION ALL
    SELECT 2, 'tenants', 'a tenant''s name for ' || nameless || ' exchanges', 'whose content went to whom'
    FROM fact WHERE nameless > 0
    UNION ALL
    SELECT 3, 'prefill_logs', 'the prefill workers'' logs', 'which prompts prefill rejected and handed over as one token'
    FROM fact WHERE prefill = 0 AND NOT (unified > 0 AND decode = 0 AND client = 0)
    UNION ALL
    SELECT 4, 'decode_logs', 'the decode workers'' logs', 'which worker and rank served each request, and whose pages it got'
    FROM fact WHERE decode = 0 AND NOT (unified > 0 AND prefill = 0 AND client = 0)
    UNION ALL
    SELECT 5, 'limits', 'a start line or /server_info of the prefill workers',
        if(declared > 0, 'whether the declared pools were the real ones', 'from which length on a prompt was over-pool')
    FROM fact WHERE measured = 0
    UNION ALL
    SELECT 6, 'responses', 'complete answers', 'what the affected responses hold' FROM fact WHERE responses = 0
    UNION ALL
    SELECT 7, 'prompts', 'complete prompts', 'whose words an answer holds' FROM fact WHERE prompts = 0
    UNION ALL
    SELECT 8, 'other_tenants', 'the records of the other tenants, which only the provider has',
        'whose words an answer holds, and whether own words went elsewhere'
    FROM fact WHERE $scope = 'one-tenant'
)

SELECT what, missing, would_show FROM lack ORDER BY place
