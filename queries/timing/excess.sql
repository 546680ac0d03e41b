-- question: Of which prompts came more from a cache than their own tenant had ever sent?
-- grain: one row per exchange whose engine counted such tokens
-- inputs: timing_use, timing_reuse
-- columns: own_tokens is the most that the tenant can have had in the cache; sure says that nothing of its own is unknown
-- assumptions: an own prompt is cached with its answer. A common beginning is longer than its rung by less than a quarter, and
--   its tokens may be twice as dense as the prompt's; 256 tokens are allowed for what the chat template itself puts first.
--   Where no text is read, whatever the tenant had sent before may have been the same: the longest of it bounds what is its own.
-- false positives: a tenant rule that makes two tenants of one; a gateway's cached_tokens that counts its own replay cache.
WITH longest AS (
    SELECT
        exchange_id, received_ns, tenant, model, prompt_tokens, prompt_chars, cached_tokens,
        coalesce(max(coalesce(prompt_tokens, 9223372036854775807 // 4) + completion_tokens) OVER (
            PARTITION BY model, tenant ORDER BY received_ns RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS longest_tokens
    FROM timing_use
),

bounded AS (
    SELECT
        g.*,
        256 + CASE
            WHEN r.has_text AND NOT r.unsure THEN least(
                g.longest_tokens,
                cast(ceil(greatest(r.own_chars * 1.25, 64) * greatest(2.0 * g.prompt_tokens / greatest(g.prompt_chars, 1), 0.5)) AS BIGINT)
                + r.own_reply_tokens
            )
            ELSE g.longest_tokens
        END AS own_tokens,
        r.history_unknown
    FROM longest AS g
    INNER JOIN timing_reuse AS r ON r.exchange_id = g.exchange_id AND r.boundary = 'tenants'
)

SELECT exchange_id, tenant, model, received_ns, prompt_tokens, cached_tokens, own_tokens, NOT history_unknown AS sure
FROM bounded
WHERE cached_tokens > own_tokens
ORDER BY received_ns, exchange_id
