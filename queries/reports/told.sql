-- question: Whose words does each affected response carry, and where did they stand in their owner's own text?
-- grain: one row per affected response, owner's exchange and span
-- inputs: report_row, source, finding, scan, exchange
-- assumptions: the source that explains most of a response owns what it explains (all exchanges of one tenant that tie for
--   it are told). Another source owns only spans that lie outside of those, and only if they weigh enough by themselves: a
--   text that two tenants sent leaked once. Where tenants tie, nobody is told to be the owner; see possible_source
WITH strong AS (
    SELECT
        s.exchange_id,
        s.mechanism,
        s.source_exchange_id,
        s.source_tenant,
        s.strength,
        s.bits_milli = max(s.bits_milli) OVER (PARTITION BY s.exchange_id) AS is_top
    FROM source AS s
    INNER JOIN report_row AS r ON r.exchange_id = s.exchange_id AND r.mechanism = s.mechanism
    WHERE
        r.integrity = 'affected'
        AND r.disclosure IN ('confirmed', 'probable')
        AND s.strength IS NOT NULL
        AND s.source_tenant IS DISTINCT FROM r.tenant
),

spans AS (
    SELECT
        f.*,
        s.strength,
        s.is_top
    FROM finding AS f
    INNER JOIN strong AS s USING (exchange_id, mechanism, source_exchange_id)
),

beside AS (
    SELECT
        o.*,
        sum(o.bits_milli) OVER (PARTITION BY o.exchange_id, o.source_exchange_id) AS beside_milli
    FROM spans AS o
    WHERE
        NOT o.is_top
        AND NOT EXISTS (
            SELECT 1 FROM spans AS t
            WHERE
                t.is_top
                AND t.exchange_id = o.exchange_id
                AND t.response_part = o.response_part
                AND t.response_start < o.response_end
                AND o.response_start < t.response_end
        )
),

told AS (
    SELECT t.* FROM spans AS t
    INNER JOIN report_row AS r ON r.exchange_id = t.exchange_id AND r.source_tenant = t.source_tenant
    WHERE t.is_top
    UNION ALL
    SELECT b.* EXCLUDE (beside_milli) FROM beside AS b
    INNER JOIN scan AS c ON c.exchange_id = b.exchange_id AND b.beside_milli >= c.probable_milli
)

SELECT
    r.exchange_id,
    r.request_id,
    r.tenant,
    r.tenant_class,
    t.mechanism,
    t.strength,
    t.source_tenant,
    t.source_exchange_id,
    e.request_id AS source_request_id,
    e.received_ns AS source_received_ns,
    t.span,
    t.kind,
    t.response_part,
    t.response_field,
    t.response_start,
    t.response_end,
    t.source_side,
    t.source_part,
    t.source_message_index,
    t.source_field,
    t.source_start,
    t.source_end,
    t.bits_milli
FROM told AS t
INNER JOIN report_row AS r ON r.exchange_id = t.exchange_id
LEFT JOIN exchange AS e ON e.exchange_id = t.source_exchange_id
ORDER BY r.received_at NULLS LAST, r.exchange_id, t.source_tenant, t.source_exchange_id, t.span
