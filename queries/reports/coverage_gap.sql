-- question: Which holes of the logs are the greatest?
-- grain: one row per hole, $most of them
-- inputs: gap, silence
-- assumptions: the silence of a worker that is not asked for its health is not listed: it may have had nothing to do.
SELECT who, source, how, reason, from_ns, to_ns, missing
FROM gap AS g
WHERE
    g.how != 'silence'
    OR EXISTS (
        SELECT 1 FROM silence AS s
        WHERE s.who = g.who AND s.from_ns = g.from_ns AND (s.regular OR s.who = 'gateway')
    )
QUALIFY row_number() OVER (ORDER BY how = 'silence', coalesce(missing, 0) DESC, to_ns - from_ns DESC, who, source, from_ns, how) <= $most
ORDER BY who != 'gateway', who, source, from_ns, how
