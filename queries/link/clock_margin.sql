-- question: By how much may a worker's corrected stamps still be off?
-- grain: one row per worker
-- inputs: worker, clock; $clock_ns
-- assumptions: at most by what lies between the correction and the farther bound that pairs of records set; where no pair
--   sets a bound on either side, by $clock_ns on that side ([thresholds] clock_s of case.toml).
SELECT
    w.worker,
    greatest(
        coalesce(k.high_ns - k.skew_ns, $clock_ns),
        CASE WHEN k.bounded_below THEN k.skew_ns - k.low_ns ELSE $clock_ns END,
        0
    )::BIGINT AS margin_ns
FROM worker AS w
LEFT JOIN clock AS k ON k.worker = w.worker
ORDER BY w.worker
