-- question: Which spans of a response match which other text, and what explains them?
-- grain: one row per span, with the text of both sides where it was kept
-- inputs: match_span, exchange, exchange_text, text; $exchange
-- assumptions: only the command that masks these texts, or shows them for a recorded reason, runs this
SELECT
    m.span,
    m.kind,
    e.request_id AS source_request_id,
    m.source_tenant,
    m.response_part,
    m.response_field,
    m.response_start,
    m.response_end,
    m.source_side,
    m.source_message_index,
    m.source_field,
    m.source_start,
    m.source_end,
    m.bits_milli,
    m.similarity_milli,
    m.holders,
    m.explained_by,
    EXISTS (
        SELECT 1 FROM finding AS f
        WHERE f.exchange_id = m.exchange_id AND f.span = m.span AND f.source_exchange_id = m.source_exchange_id
    ) AS is_finding,
    (
        SELECT min(t.text) FROM exchange_text AS x
        INNER JOIN text AS t ON t.record_id = x.record_id AND t.side = x.side
        WHERE x.exchange_id = m.exchange_id AND x.side = 'response' AND t.part = m.response_part
    ) AS response_text,
    (
        SELECT min(t.text) FROM exchange_text AS x
        INNER JOIN text AS t ON t.record_id = x.record_id AND t.side = x.side
        WHERE x.exchange_id = m.source_exchange_id AND x.side = m.source_side AND t.part = m.source_part
    ) AS source_text
FROM match_span AS m
LEFT JOIN exchange AS e ON e.exchange_id = m.source_exchange_id
WHERE m.exchange_id = $exchange
ORDER BY m.explained_by IS NOT NULL, m.bits_milli DESC, m.span, m.source_exchange_id
