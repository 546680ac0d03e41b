-- question: Whose words does each affected response carry, and where did they stand in their owner's own text?
-- grain: one row per span of an affected response that the verdict holds to be another tenant's
-- inputs: report_row, finding, match_span, exchange
-- assumptions: a finding without a span (its source known by other evidence) keeps its row, with no place in the text
SELECT
    r.exchange_id,
    r.tenant,
    r.tenant_class,
    r.mechanism,
    r.disclosure,
    f.source_tenant,
    f.source_exchange_id,
    e.request_id AS source_request_id,
    e.received_ns AS source_received_ns,
    f.span,
    s.kind,
    s.response_part,
    s.response_field,
    s.response_start,
    s.response_end,
    s.source_side,
    s.source_part,
    s.source_message_index,
    s.source_field,
    s.source_start,
    s.source_end,
    s.bits_milli
FROM report_row AS r
INNER JOIN finding AS f USING (exchange_id)
LEFT JOIN match_span AS s ON s.exchange_id = f.exchange_id AND s.span = f.span
LEFT JOIN exchange AS e ON e.exchange_id = f.source_exchange_id
WHERE
    r.integrity = 'affected'
    AND r.disclosure IN ('confirmed', 'probable')
    AND f.source_tenant IS NOT NULL
    AND f.source_tenant IS DISTINCT FROM r.tenant
    AND s.explained_by IS NULL
ORDER BY r.received_at NULLS LAST, r.exchange_id, f.source_tenant, f.source_exchange_id, f.span
