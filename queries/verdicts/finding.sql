-- question: Which spans of a response hold another tenant's text that nothing innocent explains?
-- grain: one row per (exchange, mechanism, source exchange, span)
-- inputs: match_span, candidate, exchange, scan
-- assumptions: a span counts only where the mechanism could bring its source's pages to the response (candidate). A span
--   that is mostly explained by the recipient's own context, by public text or by text that many tenants hold is no
--   finding, unless what is left of it (names and figures in a phrase that everybody uses) would be enough alone.
SELECT
    m.exchange_id, c.mechanism, m.source_exchange_id, m.span, m.source_tenant, m.kind,
    c.placement, c.rank AS candidate_rank,
    m.response_part, m.response_field, m.response_start, m.response_end,
    m.source_side, m.source_part, m.source_message_index, m.source_field, m.source_start, m.source_end,
    m.bits_milli, m.similarity_milli, m.holders
FROM match_span AS m
INNER JOIN exchange AS x ON x.exchange_id = m.exchange_id
INNER JOIN candidate AS c ON c.exchange_id = m.exchange_id AND c.source_exchange_id = m.source_exchange_id
INNER JOIN scan AS s ON s.exchange_id = m.exchange_id
WHERE (m.explained_by IS NULL OR m.bits_milli >= s.probable_milli) AND m.source_tenant IS DISTINCT FROM x.tenant
ORDER BY m.exchange_id, c.mechanism, m.source_exchange_id, m.span
