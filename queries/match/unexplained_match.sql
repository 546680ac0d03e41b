-- question: Which responses hold another tenant's text, whatever the mechanisms say, and did its source ever live there?
-- grain: one row per passage that the sweep found
-- inputs: sweep_span, exchange, candidate
-- assumptions: a source lived there if it was on the same decode worker and rank since the same process start, before
--   the response ended; pages of another worker cannot have been read. A paraphrase is probable at most.
-- false positives: two tenants quoting a public text that nobody else quotes; one customer under two names.
SELECT
    s.exchange_id, s.span, x.tenant, s.source_exchange_id, o.tenant AS source_tenant,
    CASE
        WHEN c.exchange_id IS NOT NULL THEN 'candidate'
        WHEN x.decode_worker IS NULL OR o.decode_worker IS NULL THEN 'unknown'
        WHEN
            x.decode_worker = o.decode_worker AND x.dp_rank IS NOT DISTINCT FROM o.dp_rank
            AND x.epoch_ns IS NOT DISTINCT FROM o.epoch_ns
            THEN 'lived_there'
        ELSE 'elsewhere'
    END AS placement,
    CASE
        WHEN s.bits_milli < $confirmed_milli::BIGINT OR s.similarity_milli < $literal::INTEGER THEN 'probable'
        WHEN x.tenant_class = 'unresolved' OR o.tenant_class = 'unresolved' THEN 'probable'
        ELSE 'confirmed'
    END AS strength,
    s.bits_milli, s.similarity_milli, s.response_part, s.response_field, s.response_start, s.response_end,
    s.source_side, s.source_part, s.source_message_index, s.source_field, s.source_start, s.source_end
FROM sweep_span AS s
INNER JOIN exchange AS x ON x.exchange_id = s.exchange_id
INNER JOIN exchange AS o ON o.exchange_id = s.source_exchange_id
LEFT JOIN (SELECT DISTINCT exchange_id, source_exchange_id FROM candidate) AS c
    ON c.exchange_id = s.exchange_id AND c.source_exchange_id = s.source_exchange_id
ORDER BY s.exchange_id, s.span
