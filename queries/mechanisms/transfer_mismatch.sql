-- question: Which exchanges were answered from more pages than were transferred for them?
-- grain: one row per exchange
-- inputs: exchange, record, file, detector_line, unrecorded
-- mechanism: transfer_mismatch
-- order: 30
-- sources: pages
-- requires: disaggregated, both token counts
-- needs: token counts of both sides of a room (ReqTimeStats, request log or metrics), or lines of failed and expired transfers
-- establishes: prefill counted more than one token for the room, and fewer than decode had reserved pages for.
-- possible: a transfer or handshake that a line says failed, of a request that was answered all the same; a transfer of less
--   than half of the bytes that its tokens take on that worker; pages that prefill had let expire (vLLM: "Potentially
--   invalid KV blocks", "Releasing expired KV blocks").
-- excludes: both sides counted the same tokens, and no line says that the transfer failed; a backend that is not
--   disaggregated; a refusal by decode. One token on prefill is over-pool's own sign and left to it.
-- assumptions: bytes per token are a worker's own median over its rooms; totals are of whole pages, so only half counts. vLLM's
--   engine ids end in eight more hexadecimal digits than the client's.
--   Where what the engine printed is not held, or has a hole there, it is unrecorded.
-- false positives: a transfer that failed on one rank and was made good by a retry; a decode worker with a prefix cache of its
--   own is sent less. A complete scan clears what is only possible.
WITH moved AS (
    SELECT
        r.room, r.rid, f.worker, r.prompt_tokens,
        try_cast(r.detail ->> 'transfer_total_mb' AS DOUBLE) AS mb
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE r.kind = 'engine' AND r.role = 'prefill' AND r.room IS NOT NULL AND r.prompt_tokens > 256
),

usual AS (
    SELECT worker, median(mb / prompt_tokens) AS mb_per_token
    FROM moved
    WHERE mb > 0
    GROUP BY worker
    HAVING count(*) >= 5
),

short AS (
    SELECT DISTINCT x.exchange_id
    FROM exchange AS x
    INNER JOIN moved AS m ON m.room = x.room AND m.rid = x.prefill_rid
    INNER JOIN usual AS u ON u.worker IS NOT DISTINCT FROM m.worker
    WHERE m.mb IS NOT NULL AND 2 * m.mb < u.mb_per_token * m.prompt_tokens
),

expired AS (
    SELECT DISTINCT x.exchange_id
    FROM exchange AS x
    INNER JOIN (
        SELECT unnest([rid, regexp_replace(rid, '-[0-9a-f]{8}$', '')]) AS rid
        FROM detector_line
        WHERE what = 'expired blocks'
        UNION
        SELECT unnest([rid, regexp_replace(rid, '-[0-9a-f]{8}$', '')])
        FROM record
        WHERE
            format = 'vllm_request_log' AND rid IS NOT NULL
            AND (detail ->> 'message') LIKE 'Releasing expired KV blocks for request %'
    ) AS l ON l.rid = x.request_id
),

fact AS (
    SELECT
        x.*, u.reason AS unrecorded_reason,
        CASE
            WHEN e.exchange_id IS NOT NULL THEN 'expired'
            WHEN x.backend = 'not_disaggregated' THEN 'not_disaggregated'
            WHEN x.decode_refused THEN 'refused'
            WHEN x.prefill_tokens > 1 AND x.decode_tokens > x.prefill_tokens AND NOT x.room_ambiguous THEN 'fewer'
            WHEN x.transfer_failed AND x.completion_tokens > 0 THEN 'failed'
            WHEN s.exchange_id IS NOT NULL THEN 'short'
            WHEN x.prefill_tokens = 1 AND x.decode_tokens > 1 THEN 'stub'
            WHEN u.exchange_id IS NOT NULL THEN 'unrecorded'
            WHEN x.prefill_tokens >= x.decode_tokens AND NOT x.transfer_failed THEN 'whole'
            ELSE 'one_side'
        END AS ground
    FROM exchange AS x
    LEFT JOIN expired AS e ON e.exchange_id = x.exchange_id
    LEFT JOIN short AS s ON s.exchange_id = x.exchange_id
    LEFT JOIN unrecorded AS u ON u.exchange_id = x.exchange_id AND u.what = 'transfer'
)

SELECT
    exchange_id,
    CASE
        WHEN ground = 'fewer' THEN 'established'
        WHEN ground IN ('failed', 'short', 'expired') THEN 'possible'
        WHEN ground = 'unrecorded' THEN 'unrecorded'
        WHEN ground = 'one_side' THEN 'not_examined'
        ELSE 'excluded'
    END AS status,
    CASE
        WHEN ground IN ('failed', 'short', 'expired') THEN 'mechanism_possible'
        WHEN ground = 'unrecorded' THEN unrecorded_reason
        WHEN ground = 'one_side' THEN 'other_side_missing'
    END AS reason,
    if(ground IN ('fewer', 'whole', 'stub'), 'room', 'records') AS basis,
    CASE ground
        WHEN 'fewer' THEN 'prefill counted ' || prefill_tokens || ' tokens for room ' || room || ', decode reserved pages for ' || decode_tokens
        WHEN 'failed' THEN 'a line says that its transfer failed, and it was answered'
        WHEN 'short' THEN 'less than half of the bytes were transferred that its tokens take'
        WHEN 'expired' THEN 'its pages were let go on prefill before they were fetched'
        WHEN 'not_disaggregated' THEN 'the backend is not disaggregated: ' || coalesce(backend_why, 'seen so')
        WHEN 'refused' THEN 'decode refused it'
        WHEN 'stub' THEN 'the one-token stub of an over-pool prompt, judged as such'
        WHEN 'unrecorded' THEN 'the engines'' logs that would show a failed or partial transfer are not held, or have a hole there'
        WHEN 'whole' THEN 'both sides counted ' || decode_tokens || ' tokens'
        ELSE 'only one side of its room, or none, was counted'
    END AS detail,
    ground IN ('failed', 'short', 'expired') AS clearable
FROM fact
ORDER BY exchange_id
