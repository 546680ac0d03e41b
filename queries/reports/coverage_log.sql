-- question: How many requests should each log hold, how many does it, and by which count?
-- grain: one row per (log, counter)
-- inputs: coverage, gap
-- assumptions: what any worker of a model should hold is listed only where some is missing.
WITH counted AS (
    SELECT who, source, counted_by, sum(expected)::BIGINT AS expected, sum(present)::BIGINT AS present, min(hour_ns) AS first_ns, max(hour_ns) AS last_ns
    FROM coverage
    GROUP BY ALL
),

open AS (
    SELECT who, source, count(*) AS gaps, string_agg(DISTINCT reason, ', ' ORDER BY reason) AS reasons
    FROM gap
    WHERE how NOT LIKE '%here and there%'
    GROUP BY ALL
)

SELECT
    c.who, c.source, c.counted_by, c.expected, c.present, c.expected - c.present AS missing, coalesce(o.gaps, 0) AS gaps,
    coalesce(o.reasons, '') AS reasons
FROM counted AS c
LEFT JOIN open AS o ON o.who = c.who AND o.source = c.source
WHERE c.source != 'engine' OR c.expected > c.present
ORDER BY c.who != 'gateway', c.who, c.source, c.counted_by
