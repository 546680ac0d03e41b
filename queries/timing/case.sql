-- question: How long did new prompts, prompts sent before, and prompts that others had sent before take to their first token?
-- grain: one row per (boundary, tenant, class, model, place, clock, minute): the earliest exchange of it that tells
-- inputs: timing_use, timing_reuse, timing_class
-- columns: taken_ns is the time to the first token since the prompt was received or, if later, since that prefill worker's
--   last pass ended, so that no queue is in it; beside_tokens what the same pass computed for others, beside_squares the sum of
--   its squares, since prefill is slower than linear. Where the worker is not known, taken_ns is the whole wait, and beside_* is
--   what had been asked before and had no first token yet; alone says which of the two it is
-- assumptions: first tokens of one worker less than 30 ms apart came out of one pass, which began when the last one ended.
--   Where others made up more than half of a pass, it says little of one prompt, and is left out.
--   Requests within a minute share what slows them, so they say one thing, not several. What is computed for others is what
--   their own tenants had not sent before.
WITH work AS (
    SELECT
        u.exchange_id, u.model, u.place, u.received_ns, u.waited_ns, u.received_ns + u.waited_ns AS first_ns,
        greatest(0, u.prompt_tokens - r.own_warm_chars * u.prompt_tokens // greatest(u.prompt_chars, 1)) AS tokens
    FROM timing_use AS u
    INNER JOIN timing_reuse AS r ON r.exchange_id = u.exchange_id AND r.boundary = 'tenants'
    WHERE u.prompt_tokens > 0 AND u.waited_ns > 0
),

apart AS (
    SELECT
        *,
        first_ns - lag(first_ns) OVER (PARTITION BY model, place ORDER BY first_ns, exchange_id) > 30000000 AS is_later
    FROM work
    WHERE place IS NOT NULL
),

numbered AS (
    SELECT
        *, count(*) FILTER (WHERE is_later) OVER (PARTITION BY model, place ORDER BY first_ns, exchange_id) AS pass
    FROM apart
),

pass AS (
    SELECT
        model, place, pass, sum(tokens) AS tokens, sum(tokens * tokens) AS squares,
        lag(max(first_ns)) OVER (PARTITION BY model, place ORDER BY pass) AS began_ns
    FROM numbered
    GROUP BY model, place, pass
),

event AS (
    SELECT exchange_id, model, received_ns AS at_ns, waited_ns, tokens, tokens * tokens AS squares FROM work WHERE place IS NULL
    UNION ALL
    SELECT NULL, model, first_ns, NULL, -tokens, -tokens * tokens FROM work WHERE place IS NULL
),

queue AS (
    SELECT
        exchange_id, waited_ns, sum(tokens) OVER before AS tokens, sum(squares) OVER before AS squares
    FROM event
    WINDOW before AS (PARTITION BY model ORDER BY at_ns RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    QUALIFY exchange_id IS NOT NULL
),

took AS (
    SELECT
        n.exchange_id, n.first_ns - greatest(n.received_ns, coalesce(p.began_ns, n.received_ns)) AS taken_ns,
        p.tokens - n.tokens AS beside_tokens, p.squares - n.tokens * n.tokens AS beside_squares, true AS alone
    FROM numbered AS n
    INNER JOIN pass AS p ON p.model = n.model AND p.place = n.place AND p.pass = n.pass
    UNION ALL
    SELECT exchange_id, waited_ns, greatest(0, coalesce(tokens, 0)), greatest(0, coalesce(squares, 0)), false FROM queue
)

SELECT
    c.boundary, c.tenant, c.tenant_class, c.class, c.model, c.measured_by, t.alone, c.exchange_id,
    greatest(1, t.taken_ns) AS taken_ns, c.new_tokens, t.beside_tokens::BIGINT AS beside_tokens,
    t.beside_squares::BIGINT AS beside_squares
FROM timing_class AS c
INNER JOIN took AS t ON t.exchange_id = c.exchange_id
WHERE c.new_tokens >= t.beside_tokens
QUALIFY row_number() OVER (
    PARTITION BY c.boundary, c.tenant, c.class, c.model, c.place, c.measured_by, c.received_ns // 60000000000
    ORDER BY c.received_ns, c.exchange_id
) = 1
ORDER BY c.boundary, c.tenant, c.class, c.received_ns, c.exchange_id
