-- question: Whose lengths close in on the prefill limit, as a search for it does?
-- grain: one row per (tenant, key, limit, run)
-- inputs: sign_subject
-- sign: closing_in
-- looks for: four or more requests of one key in a row, within a quarter of a limit, each at most 0.7 times as far from it as the
--   one before, on both sides of it or ending within a hundredth of it
-- needs: lengths, limits
-- false positives: a conversation that grows towards the limit ends near it by chance; a client that trims to what it was refused.
WITH near AS (
    SELECT
        *, abs(prompt_tokens - limit_tokens) AS distance,
        lag(abs(prompt_tokens - limit_tokens)) OVER (PARTITION BY tenant, key, limit_tokens ORDER BY received_ns, exchange_id)
            AS before
    FROM sign_subject
    WHERE abs(prompt_tokens - limit_tokens) * 4 <= limit_tokens
),

numbered AS (
    SELECT
        *, count(*) FILTER (WHERE before IS NULL OR distance * 10 > before * 7) OVER (
            PARTITION BY tenant, key, limit_tokens ORDER BY received_ns, exchange_id
        ) AS run
    FROM near
)

SELECT
    tenant, tenant_class, key, count(*) AS requests, min(received_ns) AS first_ns, max(received_ns) AS last_ns,
    count(*) || ' requests in a row closed in on the limit of ' || limit_tokens || ' tokens: '
    || string_agg(CAST(prompt_tokens AS VARCHAR), ', ' ORDER BY received_ns, exchange_id) AS detail,
    list(request_id ORDER BY received_ns, exchange_id) AS request_ids
FROM numbered
GROUP BY tenant, tenant_class, key, limit_tokens, run
HAVING
    count(*) >= 4
    AND (count(DISTINCT prompt_tokens >= limit_tokens) = 2 OR min(distance) * 100 <= limit_tokens)
