-- question: Which exchanges held pages only where the engine's KV canary is shown to have been on, with the log to tell of it?
-- grain: one row per exchange of which that is so
-- inputs: lived, detector_flag, printed_silence
-- assumptions: one worker without the canary, or with a hole in its log at that time, leaves the exchange out.
SELECT v.exchange_id
FROM lived AS v
LEFT JOIN detector_flag AS d
    ON d.worker = v.worker AND d.canary AND v.from_ns >= coalesce(d.start_ns, -1) AND v.to_ns < d.end_ns
GROUP BY v.exchange_id
HAVING
    bool_and(d.worker IS NOT NULL)
    AND NOT bool_or(EXISTS (
        SELECT 1 FROM printed_silence AS s WHERE s.who = v.worker AND s.from_ns <= v.to_ns AND s.to_ns >= v.from_ns
    ))
ORDER BY v.exchange_id
