-- question: Which responses hold a marker that was planted in another tenant's prompts?
-- grain: one row per exchange
-- inputs: exchange, exchange_text, marker, marker_sent, marker_hit
-- mechanism: canary
-- order: 80
-- sources: named
-- requires: planted markers, response texts, prompt texts
-- needs: markers declared in case.toml ([[canary]]), and responses with their texts
-- establishes: a declared marker, letter by letter, in a response of another tenant which that tenant had not sent before: it
--   shows a leak whatever its way in.
-- possible: a stretch that is 84 % like a marker; the comparison with the marker's prompts decides.
-- excludes: a complete response without any marker, where markers are declared. Where none is, or the response is missing or
--   cut, it is not examined.
-- assumptions: markers are random and were given to nobody else. Own context is what the recipient's tenant had sent before
--   this response began; where it sent the marker itself, it may have been told it, which is not this response's doing.
-- false positives: a marker that was published, or planted in several tenants' prompts.
WITH heard AS (
    SELECT
        h.exchange_id, max(h.alike_milli) AS alike_milli, min(h.marker) AS marker,
        list(DISTINCT {
            'exchange_id': s.exchange_id, 'placement': 'fits', 'last_ns': coalesce(o.received_ns, o.reserved_ns)
        }) FILTER (WHERE o.exchange_id IS NOT NULL) AS named,
        arg_max(o.exchange_id, (coalesce(o.received_ns, o.reserved_ns), o.exchange_id)) AS source_id
    FROM marker_hit AS h
    INNER JOIN marker AS m ON m.marker = h.marker
    INNER JOIN exchange AS x ON x.exchange_id = h.exchange_id
    LEFT JOIN marker_sent AS s ON s.marker = h.marker
    LEFT JOIN exchange AS o
        ON
            o.exchange_id = s.exchange_id AND o.tenant = m.tenant
            AND coalesce(o.received_ns, o.reserved_ns) <= coalesce(x.finished_ns, x.received_ns)
    WHERE NOT EXISTS (
        SELECT 1
        FROM marker_sent AS own
        INNER JOIN exchange AS e ON e.exchange_id = own.exchange_id
        WHERE own.marker = h.marker AND e.tenant = x.tenant AND e.received_ns <= x.received_ns
    )
    GROUP BY h.exchange_id
),

response AS (SELECT exchange_id, state FROM exchange_text WHERE side = 'response')

SELECT
    x.exchange_id,
    CASE
        WHEN h.alike_milli = 1000 THEN 'established'
        WHEN h.exchange_id IS NOT NULL THEN 'possible'
        WHEN (SELECT count(*) FROM marker) > 0 AND (r.state = 'complete' OR x.delivered = 'no') THEN 'excluded'
        ELSE 'not_examined'
    END AS status,
    CASE
        WHEN h.alike_milli = 1000 THEN NULL
        WHEN h.exchange_id IS NOT NULL THEN 'mechanism_possible'
        WHEN (SELECT count(*) FROM marker) = 0 THEN NULL
        WHEN r.state = 'complete' OR x.delivered = 'no' THEN NULL
        WHEN r.state IS NULL THEN 'response_missing'
        ELSE 'response_truncated'
    END AS reason,
    'text' AS basis,
    CASE
        WHEN h.alike_milli = 1000 THEN 'it says marker ' || h.marker || ' of another tenant, letter by letter'
        WHEN h.exchange_id IS NOT NULL THEN 'it says something ' || h.alike_milli // 10 || ' % like marker ' || h.marker || ' of another tenant'
        WHEN (SELECT count(*) FROM marker) = 0 THEN 'no marker is declared, or no text was read'
        WHEN r.state = 'complete' THEN 'it holds no marker'
        WHEN x.delivered = 'no' THEN 'nothing was delivered'
        ELSE 'its response is missing or cut'
    END AS detail,
    h.source_id AS trigger_exchange_id,
    h.alike_milli < 1000 AS clearable,
    h.named
FROM exchange AS x
LEFT JOIN heard AS h ON h.exchange_id = x.exchange_id
LEFT JOIN response AS r ON r.exchange_id = x.exchange_id
ORDER BY x.exchange_id
