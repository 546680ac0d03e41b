-- question: what do the checklist's parts that no setting shows need?
-- grain: one row per check that only a statement answers
-- inputs: subject
-- statement: yes
-- checks: b_owners, c_balancer, c_drain, d_client_salt, e_separation, f_metrics, f_reaction, f_verified
-- assumptions: c_ parts need prefill and decode apart, d_client_salt a prefix cache; where none has it, they pass
WITH part (check_name, setting, fix) AS (
    VALUES
    ('b_owners', 'page ownership checks',
     'Check page owners at read and fail only that request; show it by a fault test, then state b_owners'),
    ('c_balancer', 'load balancer',
     'Let the load balancer carry a request to its first token: no retry to another worker before it; test, then state c_balancer'),
    ('c_drain', 'drain acknowledgement',
     'Show that decode reuses pages only after prefill''s acknowledgement (sgl-project/sglang #38961 tells where it is lost); state c_drain'),
    ('d_client_salt', 'cache_salt, extra_key from clients',
     'Let the gateway drop or overwrite cache_salt and extra_key that a client sends; test, then state d_client_salt'),
    ('e_separation', 'process, node, MIG or instance per tenant',
     'Where a scoped cache key is not enough, separate tenants by process, node, MIG or instance; state e_separation, with its cost'),
    ('f_metrics', 'deferred-release metrics', 'Alert on deferred releases that time out and on failed transfers; state f_metrics'),
    ('f_reaction', 'reaction to a mismatch', 'Fail the request and drain the worker on a mismatch; rehearse it, then state f_reaction'),
    ('f_verified', 'verification at run time',
     'Verify outputs while serving (canaries, comparison); a nightly audit does not satisfy it; then state f_verified')
),

deployment AS (
    SELECT bool_and(NOT disaggregated) AND count(disaggregated) = count(*) AS is_whole,
           bool_and(NOT prefix_cache) AND count(prefix_cache) = count(*) AS is_uncached
    FROM subject
)

SELECT
    check_name, 'deployment' AS subject,
    CASE WHEN (starts_with(check_name, 'c_') AND is_whole) OR (check_name = 'd_client_salt' AND is_uncached) THEN 'pass' ELSE 'cannot_tell' END
        AS answer,
    CASE
        WHEN starts_with(check_name, 'c_') AND is_whole THEN 'nothing is transferred'
        WHEN check_name = 'd_client_salt' AND is_uncached THEN 'no process keeps a prefix cache'
        ELSE 'no setting shows it'
    END AS reason,
    setting, fix
FROM part, deployment
ORDER BY check_name
