-- question: Which exchanges were handed the metadata of another room?
-- grain: one row per exchange
-- inputs: exchange, detector_line, unrecorded
-- mechanism: metadata_collision
-- order: 30
-- sources: named
-- requires: disaggregated, decode log
-- needs: the decode worker's log: its line names both rooms
-- establishes: a "Context corruption detected" line that names the exchange's room as the receiver, where something was
--   delivered all the same: its first token and its bookkeeping came from the other room.
-- possible: the exchange of the other room, whose metadata lay in a buffer that two rooms shared.
-- excludes: a backend that is not disaggregated. Silence excludes nothing: the check has no flag that would show that this
--   version makes it (formats.md A1), so without a line it is not examined (detector_off), and unrecorded where that log is not held.
-- assumptions: engines that act on it fail the request with status 500, so that nothing is delivered.
-- false positives: a room that a client set twice by hand (orphan or forged rooms) collides without any text going astray.
WITH hit AS (
    SELECT x.exchange_id, 'receiver' AS part, o.exchange_id AS other_id, x.room, l.other_room, l.at_ns
    FROM detector_line AS l
    INNER JOIN exchange AS x ON x.room = l.room AND (l.rid IS NULL OR x.decode_rid IS NULL OR x.decode_rid = l.rid)
    LEFT JOIN exchange AS o ON o.room = l.other_room AND o.exchange_id != x.exchange_id
    WHERE l.what = 'collision'
    UNION ALL
    SELECT o.exchange_id, 'other', x.exchange_id, o.room, l.room, l.at_ns
    FROM detector_line AS l
    INNER JOIN exchange AS o ON o.room = l.other_room
    LEFT JOIN exchange AS x ON x.room = l.room AND x.exchange_id != o.exchange_id
    WHERE l.what = 'collision'
),

told AS (
    SELECT
        exchange_id, bool_or(part = 'receiver') AS receiver, min(other_room) AS other_room, min(other_id) AS other_id,
        list(DISTINCT {'exchange_id': other_id, 'placement': 'fits', 'last_ns': at_ns}) FILTER (WHERE other_id IS NOT NULL) AS named
    FROM hit
    GROUP BY exchange_id
)

SELECT
    x.exchange_id,
    CASE
        WHEN t.receiver THEN 'established'
        WHEN t.exchange_id IS NOT NULL THEN 'possible'
        WHEN x.backend = 'not_disaggregated' THEN 'excluded'
        WHEN u.exchange_id IS NOT NULL THEN 'unrecorded'
        ELSE 'not_examined'
    END AS status,
    CASE
        WHEN t.receiver THEN NULL
        WHEN t.exchange_id IS NOT NULL THEN 'mechanism_possible'
        WHEN x.backend = 'not_disaggregated' THEN NULL
        WHEN u.exchange_id IS NOT NULL THEN u.reason
        ELSE 'detector_off'
    END AS reason,
    if(t.receiver, 'room', 'records') AS basis,
    CASE
        WHEN t.receiver THEN 'decode logged that room ' || x.room || ' received the metadata of room ' || t.other_room
        WHEN t.exchange_id IS NOT NULL THEN 'decode logged that room ' || t.other_room || ' received the metadata of its room ' || x.room
        WHEN x.backend = 'not_disaggregated' THEN 'the backend is not disaggregated: ' || coalesce(x.backend_why, 'seen so')
        WHEN u.exchange_id IS NOT NULL THEN 'no log shows whether its decode worker named its room'
        ELSE 'no line names its room, and no flag shows that this version compares rooms'
    END AS detail,
    t.other_id AS trigger_exchange_id,
    t.exchange_id IS NOT NULL AND NOT t.receiver AS clearable,
    t.named
FROM exchange AS x
LEFT JOIN told AS t ON t.exchange_id = x.exchange_id
LEFT JOIN unrecorded AS u ON u.exchange_id = x.exchange_id AND u.what = 'collision'
ORDER BY x.exchange_id
