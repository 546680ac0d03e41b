-- question: Which exchanges would be called late-written if the next one after any abort on a worker and rank were?
-- grain: one row per exchange
-- inputs: exchange
-- false positives: nearly all; an abort leaves a late write only where its transfer was still open
WITH life AS (
    SELECT
        request_id, delivered, reserved_ns, released_ns,
        lag(client_outcome IN ('aborted', 'error') OR decode_aborted) OVER (
            PARTITION BY decode_worker, dp_rank ORDER BY reserved_ns, request_id
        ) AS after_abort
    FROM exchange
    WHERE decode_worker IS NOT NULL
)

SELECT request_id
FROM life
WHERE after_abort AND delivered = 'yes'
ORDER BY request_id
