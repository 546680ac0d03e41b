-- question: When could an exchange have gone by unseen, by the gateway's logs and by its worker's?
-- grain: one row per (decode worker, interval)
-- inputs: blind
-- assumptions: bounds beyond the evidence are shown as its own.
SELECT
    b.worker, greatest(b.from_ns, x.first_ns) AS from_ns, least(b.to_ns, x.last_ns) AS to_ns, b.reason
FROM blind AS b
CROSS JOIN (SELECT min(received_ns) AS first_ns, max(coalesce(finished_ns, received_ns)) AS last_ns FROM exchange) AS x
WHERE b.worker IS NOT NULL
ORDER BY b.worker, from_ns
