-- question: Which engine requests are the two halves of one served request?
-- grain: one row per served request: a decode request with its prefill request, one of the two alone, or a unified one
-- inputs: engine_request
-- assumptions: prefill and decode share nothing but the room; a room joins only where the two lives overlap or lie
--   within ten minutes, and only if exactly one of each claims it; otherwise the halves stay apart and are ambiguous.
WITH decode AS (SELECT * FROM engine_request WHERE role = 'decode'),

prefill AS (SELECT * FROM engine_request WHERE role = 'prefill'),

candidate AS (
    SELECT
        d.engine_id AS decode_id, p.engine_id AS prefill_id,
        count(*) OVER (PARTITION BY d.engine_id) AS prefills, count(*) OVER (PARTITION BY p.engine_id) AS decodes
    FROM decode AS d
    INNER JOIN prefill AS p ON p.room = d.room AND abs(p.received_ns - d.received_ns) <= 600000000000
),

pair AS (SELECT decode_id, prefill_id FROM candidate WHERE prefills = 1 AND decodes = 1),

half AS (
    SELECT decode_id, prefill_id FROM pair
    UNION ALL
    SELECT engine_id, NULL FROM decode WHERE engine_id NOT IN (SELECT decode_id FROM pair)
    UNION ALL
    SELECT NULL, engine_id FROM prefill WHERE engine_id NOT IN (SELECT prefill_id FROM pair)
    UNION ALL
    SELECT engine_id, NULL FROM engine_request WHERE role IS DISTINCT FROM 'decode' AND role IS DISTINCT FROM 'prefill'
),

hashes AS (
    SELECT room, min(prompt_hash) AS prompt_hash
    FROM engine_record
    WHERE kind = 'openai' AND room IS NOT NULL AND prompt_hash IS NOT NULL
    GROUP BY room
    HAVING count(DISTINCT prompt_hash) = 1
)

SELECT
    coalesce(half.decode_id, half.prefill_id) AS served_id,
    half.decode_id, half.prefill_id,
    coalesce(d.room, p.room) AS room,
    d.rid AS client_rid,
    coalesce(d.worker, p.worker) AS clock_worker,
    coalesce(d.received_ns, p.received_ns) AS received_ns,
    coalesce(d.finished_ns, p.finished_ns) AS finished_ns,
    coalesce(CASE WHEN d.rejected THEN d.reject_tokens END, d.prompt_tokens, nullif(p.prompt_tokens, 1), p.reject_tokens)
        AS prompt_tokens,
    coalesce(d.model, p.model, wd.model, wp.model) AS model,
    coalesce(d.prompt_hash, hashes.prompt_hash) AS prompt_hash,
    EXISTS (
        SELECT 1 FROM candidate AS c
        WHERE (c.decode_id = half.decode_id OR c.prefill_id = half.prefill_id) AND (c.prefills > 1 OR c.decodes > 1)
    ) AS room_ambiguous
FROM half
LEFT JOIN engine_request AS d ON d.engine_id = half.decode_id
LEFT JOIN engine_request AS p ON p.engine_id = half.prefill_id
LEFT JOIN worker AS wd ON wd.worker = d.worker
LEFT JOIN worker AS wp ON wp.worker = p.worker
LEFT JOIN hashes ON hashes.room = coalesce(d.room, p.room)
ORDER BY served_id
