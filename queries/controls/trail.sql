-- question: How far along the road did each planted exchange come, and where was it lost?
-- grain: one row per planted exchange
-- inputs: planted (name, request_id, tenant, mechanism, sources), exchange, suspicion, candidate, match_span, finding,
--   source, verdict, possible_source
-- columns: in the order of the road; candidate, span and finding tell whether a source that was planted is among them
SELECT
    p.name,
    x.exchange_id,
    x.pair_via,
    x.decode_worker,
    s.status,
    s.reason,
    s.basis,
    s.detail,
    EXISTS (
        SELECT 1 FROM candidate AS c
        INNER JOIN exchange AS o ON o.exchange_id = c.source_exchange_id
        WHERE
            c.exchange_id = x.exchange_id AND c.mechanism = p.mechanism
            AND (len(p.sources) = 0 OR p.forwarded OR list_contains(p.sources, o.tenant))
    ) AS candidate,
    EXISTS (
        SELECT 1 FROM match_span AS m
        WHERE m.exchange_id = x.exchange_id AND (p.forwarded OR list_contains(p.sources, m.source_tenant)) AND m.bits_milli > 0
    ) AS span,
    (SELECT max(m.bits_milli) FROM match_span AS m WHERE m.exchange_id = x.exchange_id) AS span_milli,
    EXISTS (
        SELECT 1 FROM finding AS f WHERE f.exchange_id = x.exchange_id AND list_contains(p.sources, f.source_tenant)
    ) AS finding,
    (SELECT max(a.bits_milli) FROM source AS a WHERE a.exchange_id = x.exchange_id) AS source_milli,
    (SELECT max(a.probable_milli) FROM scan AS a WHERE a.exchange_id = x.exchange_id) AS probable_milli,
    v.integrity,
    v.integrity_reason,
    v.mechanism,
    v.disclosure,
    v.source_tenant,
    EXISTS (SELECT 1 FROM possible_source AS q WHERE q.exchange_id = x.exchange_id) AS possible_sources
FROM planted AS p
LEFT JOIN exchange AS x ON x.request_id = p.request_id
LEFT JOIN suspicion AS s ON s.exchange_id = x.exchange_id AND s.mechanism = p.mechanism
LEFT JOIN verdict AS v ON v.exchange_id = x.exchange_id
QUALIFY row_number() OVER (PARTITION BY p.name ORDER BY x.tenant = p.tenant DESC NULLS LAST, x.exchange_id) = 1
ORDER BY p.name
