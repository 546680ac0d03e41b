-- question: Which joins stay ambiguous because an id is repeated or forged, or a tenant's records disagree?
-- grain: one row per (subject, what)
-- inputs: served, client_request
SELECT served_id AS subject, 'room' AS what, 'more than one request claims room ' || room AS detail
FROM served
WHERE room_ambiguous
UNION ALL
SELECT client_id, 'response_id', 'more than one call of the gateway carries this response id'
FROM client_request
WHERE id_repeated
UNION ALL
SELECT client_id, 'tenant', 'its records name ' || tenants || ' tenants; the first rule decides'
FROM client_request
WHERE tenants > 1
ORDER BY ALL
