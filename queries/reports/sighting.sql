-- question: What was reported from outside, and what do the records say of it?
-- grain: one row per (sighting, exchange that it means), and one for a sighting that means none
-- inputs: sighting, sighting_exchange, sighting_match, report_row
-- columns: how is the ground on which the exchange is meant; held_by are tenants whose prompts hold the excerpt
-- assumptions: an excerpt's words are not in the database, only where they were found
SELECT
    s.sighting, s.reporter, s.reference, s.at_ns, s.until_ns, s.excerpt_chars, s.note,
    e.how, r.request_id, r.received_at, r.tenant, r.integrity, r.integrity_reason, r.disclosure, r.mechanism,
    (SELECT max(m.bits_milli) // 1000 FROM sighting_match AS m
     WHERE m.sighting = s.sighting AND m.exchange_id = e.exchange_id AND m.side = 'response') AS bits_in_response,
    (SELECT string_agg(DISTINCT o.tenant, ', ' ORDER BY o.tenant) FROM sighting_match AS m
     INNER JOIN report_row AS o ON o.exchange_id = m.exchange_id
     WHERE m.sighting = s.sighting AND m.side = 'prompt') AS held_by
FROM sighting AS s
LEFT JOIN sighting_exchange AS e ON e.sighting = s.sighting
LEFT JOIN report_row AS r ON r.exchange_id = e.exchange_id
ORDER BY s.sighting, r.received_at, r.request_id
