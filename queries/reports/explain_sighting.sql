-- question: What was reported of an exchange from outside, and where do the reports' excerpts stand in its texts?
-- grain: one row per (sighting that means the exchange or whose excerpt stands in it, passage)
-- inputs: sighting, sighting_exchange, sighting_match; $exchange
WITH named AS (
    SELECT sighting FROM sighting_exchange WHERE exchange_id = $exchange
    UNION
    SELECT sighting FROM sighting_match WHERE exchange_id = $exchange
)

SELECT
    s.sighting, s.reporter, s.reference, s.at_ns, s.until_ns, s.excerpt_chars, s.note, e.how,
    m.side, m.field, m.text_start, m.text_end, m.excerpt_start, m.excerpt_end, m.bits_milli, m.similarity_milli
FROM named AS n
INNER JOIN sighting AS s ON s.sighting = n.sighting
LEFT JOIN sighting_exchange AS e ON e.sighting = s.sighting AND e.exchange_id = $exchange
LEFT JOIN sighting_match AS m ON m.sighting = s.sighting AND m.exchange_id = $exchange
ORDER BY s.sighting, m.side, m.part, m.text_start, m.excerpt_start
