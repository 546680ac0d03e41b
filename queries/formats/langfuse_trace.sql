-- question: who stands behind each trace of Langfuse's older export?
-- grain: one row per trace
-- inputs: raw (line, byte_offset, item, raw): JSON objects, of a CSV all values text
-- keys: id, timestamp, user_id, session_id, !type | id, timestamp, userId, sessionId, !type
-- evidence: Langfuse's trace columns
-- where from: Langfuse's blob storage integration before observations_v2 (traces/), its API, or the export of its traces table
-- assumptions: a trace is no call; its calls are its observations, whose detail.langfuse_trace is this id. Shapes: formats.md C3
-- cannot say: anything about a single call; the older observations name no user, so their tenants must come from metadata or from the
--   gateway's record of the same call
-- traps: as langfuse_observation
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
)
SELECT
    byte_offset, item, 'note' AS kind,
    epoch_ns_of(r ->> 'timestamp') AS at_ns,
    'langfuse-trace:' || (r ->> 'id') AS trace_id,
    'absent' AS prompt_state,
    'absent' AS response_state,
    json_object(
        'user_id', coalesce(r ->> 'user_id', r ->> 'userId'), 'session_id', coalesce(r ->> 'session_id', r ->> 'sessionId'),
        'environment', r -> 'environment', 'tags', json_of(r -> 'tags'), 'metadata', json_of(r -> 'metadata')
    ) AS identity,
    json_object('langfuse_trace', r ->> 'id', 'name', r ->> 'name') AS detail,
    CASE WHEN (r ->> 'id') IS NULL OR (r ->> 'timestamp') IS NULL THEN 'not_this_format' END AS reject_reason
FROM given
