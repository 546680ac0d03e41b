-- question: Which workers did the router send a request to?
-- grain: one row per router request id that the router's log names one decode or prefill worker for
-- inputs: record, worker
-- assumptions: only DEBUG lines and errors name workers (formats.md A8); an address is a worker's if the worker's own
--   log or the declarations give it that address.
WITH said AS (
    SELECT r.router_request_id, w.worker, w.role
    FROM record AS r
    INNER JOIN worker AS w ON w.address = r.worker_address
    WHERE r.kind = 'router' AND r.router_request_id IS NOT NULL
)

SELECT
    router_request_id,
    CASE WHEN count(DISTINCT worker) FILTER (WHERE role = 'decode') = 1 THEN max(worker) FILTER (WHERE role = 'decode') END
        AS decode_worker,
    CASE WHEN count(DISTINCT worker) FILTER (WHERE role = 'prefill') = 1 THEN max(worker) FILTER (WHERE role = 'prefill') END
        AS prefill_worker
FROM said
GROUP BY router_request_id
ORDER BY router_request_id
