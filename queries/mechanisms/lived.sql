-- question: On which workers did an exchange hold pages, on which rank, and from when to when?
-- grain: one row per (exchange, worker)
-- inputs: exchange, engine_request, worker, clock
-- assumptions: pages are held from an engine's receipt to its finish; where no finish is told, to the client's end. Engine
--   times are corrected by the worker's clock. A decode worker holds them for the whole prompt, a prefill worker for its
--   own part, a unified one (no transfer) for both.
WITH half AS (
    SELECT exchange_id, decode_id AS engine_id, finished_ns AS client_ns FROM exchange WHERE decode_id IS NOT NULL
    UNION ALL
    SELECT exchange_id, prefill_id, NULL FROM exchange WHERE prefill_id IS NOT NULL
)

SELECT
    h.exchange_id, e.worker,
    coalesce(e.role, w.role) AS role,
    coalesce(e.dp_rank, CASE WHEN w.highest_rank = 0 THEN 0 END) AS dp_rank,
    e.received_ns - coalesce(k.skew_ns, 0) AS from_ns,
    greatest(
        coalesce(CASE WHEN e.has_finished THEN e.finished_ns - coalesce(k.skew_ns, 0) END, h.client_ns, e.received_ns),
        e.received_ns - coalesce(k.skew_ns, 0)
    ) AS to_ns,
    coalesce(e.prompt_tokens, 0) + coalesce(e.completion_tokens, 0) AS tokens
FROM half AS h
INNER JOIN engine_request AS e ON e.engine_id = h.engine_id
LEFT JOIN worker AS w ON w.worker = e.worker
LEFT JOIN clock AS k ON k.worker = e.worker
WHERE e.worker IS NOT NULL AND e.received_ns IS NOT NULL
ORDER BY h.exchange_id, e.worker, from_ns
