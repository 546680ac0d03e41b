-- question: Who sent requests over the pool after the defect had been reported in public, and had not done so before?
-- grain: one row per (tenant, key)
-- inputs: sign_subject; $public_report_ns
-- sign: after_report
-- looks for: keys whose requests over the pool all came after the public report of the defect
-- needs: lengths, public_report
-- false positives: whoever became a customer, or began to use long prompts, after that day; where logs begin after the report,
--   all do, and the detail says so.
SELECT
    tenant, tenant_class, key, count(*) FILTER (WHERE over_pool IS NOT NULL) AS requests,
    min(received_ns) FILTER (WHERE over_pool IS NOT NULL) AS first_ns, max(received_ns) FILTER (WHERE over_pool IS NOT NULL) AS last_ns,
    requests || ' requests over the pool, all after the public report; before it '
    || if(
        (SELECT min(received_ns) FROM sign_subject) >= $public_report_ns, 'there is no log',
        count(*) FILTER (WHERE received_ns < $public_report_ns) || ' requests of this key, none over the pool'
    ) AS detail,
    list(request_id ORDER BY received_ns, exchange_id) FILTER (WHERE over_pool IS NOT NULL) AS request_ids
FROM sign_subject
GROUP BY tenant, tenant_class, key
HAVING requests > 0 AND min(received_ns) FILTER (WHERE over_pool IS NOT NULL) >= $public_report_ns
