-- question: Which records belong to an exchange, and how are they joined to it?
-- grain: one row per (exchange, record)
-- inputs: exchange, client_record, engine_record, engine_request, record
SELECT x.exchange_id, c.record_id, 'client''s ids' AS via, false AS inferred
FROM exchange AS x
INNER JOIN client_record AS c ON c.client_id = x.client_id
UNION ALL
SELECT DISTINCT x.exchange_id, e.record_id, x.pair_via AS via, x.pair_inferred
FROM exchange AS x
INNER JOIN engine_request AS q ON q.engine_id IN (x.decode_id, x.prefill_id)
INNER JOIN engine_record AS e ON e.rid = q.rid AND e.worker IS NOT DISTINCT FROM q.worker AND coalesce(e.room, q.room) IS NOT DISTINCT FROM q.room
UNION ALL
SELECT x.exchange_id, e.record_id, 'the room' AS via, x.pair_inferred
FROM exchange AS x
INNER JOIN engine_record AS e ON e.room = x.room AND e.rid IS NULL AND x.room IS NOT NULL AND NOT x.room_ambiguous
UNION ALL
SELECT x.exchange_id, r.record_id, 'the router''s request id' AS via, false
FROM exchange AS x
INNER JOIN client_request AS c ON c.client_id = x.client_id
INNER JOIN record AS r ON r.router_request_id = c.router_request_id AND r.kind = 'router'
ORDER BY ALL
