-- question: What do an engine's logs together say of one request on one worker?
-- grain: one row per (worker, rid, room); a record of the rid without a room joins the rid's only room, or the only one
--   that lived at its time
-- inputs: engine_record
-- assumptions: a rid may be repeated or forged, so the same rid with two rooms is two requests; a line without a room
--   that may belong to either, two seconds being allowed for stamps of whole seconds, belongs to none of them. A stamp of whole seconds yields to a finer one.
--   A detector's line without a room (vLLM's, which spells ids otherwise on each side) is no request by itself.
WITH life AS (
    SELECT
        worker, rid, room, min(coalesce(received_ns, at_ns)) - 2000000000 AS from_ns,
        max(coalesce(finished_ns, at_ns)) + 2000000000 AS to_ns,
        count(*) OVER (PARTITION BY worker, rid) AS rooms
    FROM engine_record
    WHERE rid IS NOT NULL AND room IS NOT NULL
    GROUP BY worker, rid, room
),

roomless AS (
    SELECT e.record_id, min(l.room) AS only_room
    FROM engine_record AS e
    INNER JOIN life AS l
        ON
            l.worker IS NOT DISTINCT FROM e.worker AND l.rid = e.rid
            AND (l.rooms = 1 OR e.at_ns BETWEEN l.from_ns AND l.to_ns)
    WHERE e.room IS NULL
    GROUP BY e.record_id
    HAVING count(*) = 1
),

resolved AS (
    SELECT e.* REPLACE (coalesce(e.room, roomless.only_room) AS room)
    FROM engine_record AS e
    LEFT JOIN roomless ON roomless.record_id = e.record_id
    WHERE e.rid IS NOT NULL AND e.kind != 'openai'
)

SELECT
    concat_ws('|', coalesce(worker, ''), rid, coalesce(room, '')) AS engine_id,
    worker, rid, room,
    coalesce(max(role) FILTER (WHERE role IN ('prefill', 'decode')), max(role)) AS role,
    max(dp_rank) AS dp_rank,
    coalesce(
        min(received_ns) FILTER (WHERE received_ns % 1000000000 != 0), min(received_ns),
        min(at_ns) FILTER (WHERE phase = 'received'), min(at_ns)
    ) AS received_ns,
    min(first_token_ns) AS first_token_ns,
    coalesce(
        max(finished_ns) FILTER (WHERE finished_ns % 1000000000 != 0), max(finished_ns),
        max(at_ns) FILTER (WHERE kind = 'engine' AND phase IN ('finished', 'whole'))
    ) AS finished_ns,
    max(prompt_tokens) AS prompt_tokens,
    max(cached_tokens) AS cached_tokens,
    max(completion_tokens) AS completion_tokens,
    bool_or(kind = 'engine' AND phase IN ('finished', 'whole')) AS has_finished,
    bool_or(coalesce(outcome = 'aborted', false) OR coalesce(finish_type = 'abort', false)) AS aborted,
    bool_or(coalesce(outcome = 'error', false)) AS failed,
    max(finish_type) AS finish_type,
    bool_or(kind = 'reject') AS rejected,
    max(input_tokens) FILTER (WHERE kind IN ('reject', 'gate')) AS reject_tokens,
    bool_or(kind = 'gate') AS gated,
    bool_or(kind = 'transfer') AS transfer_failed,
    min(at_ns) FILTER (WHERE kind = 'transfer') AS transfer_failed_ns,
    bool_or(kind = 'detector') AS detected,
    max(bootstrap_host) AS bootstrap_host,
    max(bootstrap_port) AS bootstrap_port,
    max(model) AS model,
    max(engine) AS engine,
    max(response_id) AS response_id,
    max(response_chars) AS response_chars,
    max(prompt_hash) AS prompt_hash,
    count(*) AS records
FROM resolved
GROUP BY worker, rid, room
HAVING room IS NOT NULL OR bool_or(kind != 'detector')
ORDER BY engine_id
