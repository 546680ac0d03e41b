-- question: How far is each source's clock off, and how surely is that known?
-- grain: one row per source
-- inputs: clock, clock_margin
-- assumptions: what lies closer than the margin has no certain order.
SELECT k.worker, k.pairs, CASE WHEN k.bounded_below THEN k.low_ns END AS low_ns, k.skew_ns, k.high_ns, m.margin_ns
FROM clock AS k
INNER JOIN clock_margin AS m ON m.worker = k.worker
ORDER BY k.worker
