-- question: Were prefix caches kept apart between users, between tenants, between organizations?
-- grain: one row per boundary
-- inputs: timing_class, timing_pooled, timing_test, timing_excess; $alpha_milli
-- mechanism: prefix_cache_timing
-- needs: the beginnings of prompts; and the time to the first token by an engine or of streamed answers, or the engine's cached_tokens
-- requires: prompt texts
-- establishes: nothing of any exchange: no text leaks. Refuted says of a boundary that caches were shared across it: an engine
--   counted more cached tokens than the tenant had ever sent, or first uses follow the cold distribution with a probability below
--   1 - confidence and at least a twentieth of them was served from a cache, or a tenant's own do, corrected for their number.
-- possible: undetermined, where neither can be said.
-- excludes: held says that at most a tenth of first uses was served from another's cache, at the stated confidence, where uses
--   that must be fast, the tenant's own repetitions, were seen to be fast.
-- assumptions: [timing] cache_memory_s. Salts that act at a level hold at all wider ones.
-- false positives: an own earlier use that no log shows; a tenant rule that splits one tenant in two; a beginning that the
--   service itself puts before every prompt, unsalted, and that no log shows.
WITH boundary AS (
    SELECT * FROM (VALUES (1, 'users'), (2, 'tenants'), (3, 'organizations')) AS b (place, boundary)
),

counted AS (
    SELECT
        boundary,
        count(*) FILTER (WHERE class = 'first') AS first_uses,
        count(DISTINCT tenant) FILTER (WHERE class = 'first') AS tenants,
        count(served) FILTER (WHERE class = 'first') AS counted,
        count(*) FILTER (WHERE served AND class = 'first') AS counted_served,
        count(served) FILTER (WHERE class = 'warm') AS control,
        count(*) FILTER (WHERE served AND class = 'warm') AS control_served
    FROM timing_class
    WHERE tenant_class != 'unresolved'
    GROUP BY boundary
),

tested AS (
    SELECT
        boundary, count(*) FILTER (WHERE status != 'undetermined' OR reason != 'too_few_uses') AS tested_tenants,
        count(*) FILTER (WHERE status = 'shared') AS shared_tenants
    FROM timing_test
    GROUP BY boundary
),

fact AS (
    SELECT
        b.place, b.boundary, coalesce(c.first_uses, 0) AS first_uses, coalesce(c.tenants, 0) AS tenants,
        coalesce(c.counted, 0) AS counted, coalesce(c.counted_served, 0) AS counted_served,
        coalesce(c.control, 0) >= 10 AND c.control_served * 2 >= c.control AS counter_works,
        if(b.boundary = 'tenants', (SELECT count(*) FROM timing_excess WHERE sure), 0) AS excess,
        coalesce(t.tested_tenants, 0) AS tested_tenants, coalesce(t.shared_tenants, 0) AS shared_tenants,
        coalesce(p.first, 0) AS timed, p.chance_milli, coalesce(p.works, false) AS clock_works,
        p.share_low_milli, p.share_likely_milli, p.share_high_milli, p.counted_high_milli
    FROM boundary AS b
    LEFT JOIN counted AS c ON c.boundary = b.boundary
    LEFT JOIN tested AS t ON t.boundary = b.boundary
    LEFT JOIN timing_pooled AS p ON p.boundary = b.boundary
),

ruled AS (
    SELECT
        *,
        CASE
            WHEN excess > 0 THEN 'cached_tokens'
            WHEN counter_works AND counted_served > 0 THEN 'cached_tokens'
            WHEN shared_tenants > 0 THEN 'timing_of_tenants'
            WHEN clock_works AND chance_milli >= $alpha_milli AND share_low_milli >= 50 THEN 'timing'
            WHEN first_uses = 0 THEN 'no_first_uses'
            WHEN counter_works AND counted_high_milli <= 100 THEN 'cached_tokens_none'
            WHEN timed = 0 THEN 'no_times'
            WHEN NOT clock_works THEN 'cold_and_warm_alike'
            WHEN share_high_milli <= 100 THEN 'timing_none'
            ELSE 'too_few_uses'
        END AS reason
    FROM fact
)

SELECT
    boundary,
    CASE
        WHEN reason IN ('cached_tokens', 'timing_of_tenants', 'timing') THEN 'refuted'
        WHEN reason IN ('cached_tokens_none', 'timing_none') THEN 'held'
        WHEN reason IN ('no_first_uses', 'no_times') THEN 'not_examined'
        ELSE 'undetermined'
    END AS status,
    reason, first_uses, tenants, counted, counted_served, excess, timed, tested_tenants, shared_tenants, chance_milli,
    share_low_milli, share_likely_milli, share_high_milli
FROM ruled
ORDER BY place
