-- question: How much of each prompt's beginning had been sent before: from within a boundary, and from beyond it?
-- grain: one row per (exchange, boundary): users, tenants, organizations
-- inputs: timing_use, timing_prefix; $cache_memory_ns
-- columns: in characters, rounded down to a rung: own_chars ever sent from within the boundary, own_warm_chars within the
--   cache's memory and on the same prefill worker, other_chars the same from just beyond the boundary (another user of the
--   tenant, another tenant of the organization or, where none is declared, any other, another organization), beyond_chars by anybody outside at any time;
--   own_reply_tokens the longest answer to an own prompt that this one begins with; unsure says that the tenant may have sent
--   more than is known here
-- assumptions: what was sent less than two seconds before is not cached yet. What was cached before the logs begin is
--   unknown, so for $cache_memory_ns from their beginning nothing is sure, unless the worker's process began within them. An
--   own prompt whose text is missing or cut makes unsure for as long, unless it was too short to matter (256 tokens).
WITH log_start AS (SELECT min(received_ns) AS first_ns FROM timing_use),

at_rung AS (
    SELECT
        u.exchange_id, p.step, u.organization != u.tenant AS grouped,
        count(*) OVER own_user_ever AS user_ever, count(*) OVER own_tenant_ever AS tenant_ever,
        count(*) OVER own_organization_ever AS organization_ever, count(*) OVER anybody_ever AS all_ever,
        count(*) OVER own_user_warm AS user_warm, count(*) OVER own_tenant_warm AS tenant_warm,
        count(*) OVER own_organization_warm AS organization_warm, count(*) OVER anybody_warm AS all_warm,
        max(if(p.is_top, u.completion_tokens, 0)) OVER own_tenant_ever AS reply_tokens,
        bool_or(p.is_top AND p.cut) OVER own_tenant_ever AS goes_on_unseen
    FROM timing_prefix AS p
    INNER JOIN timing_use AS u ON u.exchange_id = p.exchange_id
    WINDOW
        own_user_ever AS (PARTITION BY p.digest, u.model, u.tenant, u.party ORDER BY u.received_ns RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        own_tenant_ever AS (PARTITION BY p.digest, u.model, u.tenant ORDER BY u.received_ns RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        own_organization_ever AS (PARTITION BY p.digest, u.model, u.organization ORDER BY u.received_ns RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        anybody_ever AS (PARTITION BY p.digest, u.model ORDER BY u.received_ns RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        own_user_warm AS (PARTITION BY p.digest, u.model, u.place, u.tenant, u.party ORDER BY u.received_ns RANGE BETWEEN $cache_memory_ns PRECEDING AND 2000000000 PRECEDING),
        own_tenant_warm AS (PARTITION BY p.digest, u.model, u.place, u.tenant ORDER BY u.received_ns RANGE BETWEEN $cache_memory_ns PRECEDING AND 2000000000 PRECEDING),
        own_organization_warm AS (PARTITION BY p.digest, u.model, u.place, u.organization ORDER BY u.received_ns RANGE BETWEEN $cache_memory_ns PRECEDING AND 2000000000 PRECEDING),
        anybody_warm AS (PARTITION BY p.digest, u.model, u.place ORDER BY u.received_ns RANGE BETWEEN $cache_memory_ns PRECEDING AND 2000000000 PRECEDING)
),

reached AS (
    SELECT
        exchange_id,
        max(if(user_ever > 0, step, 0)) AS user_own, max(if(user_warm > 0, step, 0)) AS user_own_warm,
        max(if(tenant_warm > user_warm, step, 0)) AS user_other, max(if(all_ever > user_ever, step, 0)) AS user_beyond,
        max(if(tenant_ever > 0, step, 0)) AS tenant_own, max(if(tenant_warm > 0, step, 0)) AS tenant_own_warm,
        max(if(if(grouped, organization_warm, all_warm) > tenant_warm, step, 0)) AS tenant_other, max(if(all_ever > tenant_ever, step, 0)) AS tenant_beyond,
        max(if(organization_ever > 0, step, 0)) AS organization_own, max(if(organization_warm > 0, step, 0)) AS organization_own_warm,
        max(if(grouped AND all_warm > organization_warm, step, 0)) AS organization_other,
        max(if(all_ever > organization_ever, step, 0)) AS organization_beyond,
        max(coalesce(reply_tokens, 0)) AS reply_tokens,
        bool_or(goes_on_unseen) AS goes_on_unseen
    FROM at_rung
    GROUP BY exchange_id
),

unread AS (
    -- the last own prompt of whose text nothing is known
    SELECT
        u.exchange_id,
        max(if(p.exchange_id IS NULL AND coalesce(u.prompt_tokens + u.completion_tokens, 256) >= 256, u.received_ns, NULL)) OVER (
            PARTITION BY u.model, u.organization ORDER BY u.received_ns RANGE BETWEEN $cache_memory_ns PRECEDING AND 1 PRECEDING
        ) AS last_ns
    FROM timing_use AS u
    LEFT JOIN (SELECT DISTINCT exchange_id FROM timing_prefix) AS p ON p.exchange_id = u.exchange_id
),

known AS (
    SELECT
        u.exchange_id, r.* EXCLUDE (exchange_id, reply_tokens, goes_on_unseen),
        coalesce(r.reply_tokens, 0) AS reply_tokens, coalesce(r.goes_on_unseen, false) AS goes_on_unseen,
        r.exchange_id IS NOT NULL AS has_text, n.last_ns IS NOT NULL AS unread_before,
        u.received_ns < s.first_ns + $cache_memory_ns
        AND NOT coalesce(u.known_from_ns >= s.first_ns - 60000000000, false) AS history_unknown
    FROM timing_use AS u
    LEFT JOIN reached AS r ON r.exchange_id = u.exchange_id
    LEFT JOIN unread AS n ON n.exchange_id = u.exchange_id
    CROSS JOIN log_start AS s
)

SELECT
    k.exchange_id, b.boundary,
    coalesce(CASE b.boundary WHEN 'users' THEN k.user_own WHEN 'tenants' THEN k.tenant_own ELSE k.organization_own END, 0) AS own_chars,
    coalesce(CASE b.boundary WHEN 'users' THEN k.user_own_warm WHEN 'tenants' THEN k.tenant_own_warm ELSE k.organization_own_warm END, 0)
        AS own_warm_chars,
    coalesce(CASE b.boundary WHEN 'users' THEN k.user_other WHEN 'tenants' THEN k.tenant_other ELSE k.organization_other END, 0)
        AS other_chars,
    coalesce(CASE b.boundary WHEN 'users' THEN k.user_beyond WHEN 'tenants' THEN k.tenant_beyond ELSE k.organization_beyond END, 0)
        AS beyond_chars,
    k.reply_tokens AS own_reply_tokens,
    k.has_text,
    k.history_unknown,
    k.history_unknown OR k.goes_on_unseen OR k.unread_before AS unsure
FROM known AS k
CROSS JOIN (VALUES ('users'), ('tenants'), ('organizations')) AS b (boundary)
ORDER BY k.exchange_id, b.boundary
