-- question: Was this prompt new, sent before by its own tenant, or sent before by others only?
-- grain: one row per (exchange, boundary) that is one of the three
-- inputs: timing_use, timing_reuse
-- columns: class is cold (nobody beyond the boundary had sent more of the prompt than was sent from within it, and that is
--   less than half), warm (at least half, and 256 tokens, were sent from within, within the cache's memory, to the same prefill
--   worker) or first (others had sent at least half of what was new, and 256 tokens, and none within the boundary had);
--   served says whether the engine's own count of cached tokens shows it served from a cache: at least half of what could be,
--   NULL where it gives no count; new_tokens is what prefill has to compute if caches are not shared and, of warm ones, if
--   nothing was cached
-- assumptions: characters per token are alike over one prompt.
WITH measured AS (
    SELECT
        r.boundary, u.*,
        r.own_chars * u.prompt_tokens // greatest(u.prompt_chars, 1) AS own_tokens,
        r.own_warm_chars * u.prompt_tokens // greatest(u.prompt_chars, 1) AS own_warm_tokens,
        r.other_chars * u.prompt_tokens // greatest(u.prompt_chars, 1) AS other_tokens,
        r.own_chars, r.beyond_chars, r.own_reply_tokens, r.unsure
    FROM timing_reuse AS r
    INNER JOIN timing_use AS u ON u.exchange_id = r.exchange_id
    WHERE r.has_text AND u.prompt_tokens > 0
),

classed AS (
    SELECT
        *,
        CASE
            WHEN own_warm_tokens >= greatest(256, prompt_tokens // 2) THEN 'warm'
            WHEN unsure THEN NULL
            WHEN other_tokens - own_tokens >= greatest(256, (prompt_tokens - own_tokens) // 2) THEN 'first'
            WHEN beyond_chars <= own_chars AND own_tokens < prompt_tokens // 2 AND own_reply_tokens < 256 AND prompt_tokens >= 256
                THEN 'cold'
        END AS class
    FROM measured
)

SELECT
    boundary, exchange_id, tenant, tenant_class, class, model, place, measured_by, received_ns, waited_ns,
    CASE WHEN class = 'warm' THEN prompt_tokens ELSE greatest(prompt_tokens - own_warm_tokens, 0) END AS new_tokens,
    CASE class
        WHEN 'warm' THEN 2 * cached_tokens >= own_warm_tokens
        WHEN 'first' THEN 2 * (cached_tokens - own_tokens) >= other_tokens - own_tokens
    END AS served
FROM classed
WHERE class IS NOT NULL
ORDER BY boundary, tenant, class, received_ns, exchange_id
