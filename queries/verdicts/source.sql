-- question: How much of a response does each possible source explain, and is that enough to say so?
-- grain: one row per (exchange, mechanism, source exchange)
-- inputs: finding, scan, exchange, suspicion, mechanism
-- assumptions: the thresholds are log2 of the candidates that were tried plus a declared margin (scan); a paraphrase
--   (facts only), text that more than one other tenant holds, a placement that no log shows, or a tenant that no rule
--   names (it may be the other one) is at most probable.
WITH weighed AS (
    SELECT
        f.exchange_id, f.mechanism, f.source_exchange_id, f.source_tenant,
        min(f.candidate_rank) AS candidate_rank, min(f.placement) AS placement,
        sum(f.bits_milli)::BIGINT AS bits_milli,
        sum(CASE WHEN f.kind = 'aligned' AND f.holders <= 1 THEN f.bits_milli ELSE 0 END)::BIGINT AS firm_milli,
        count(*) AS spans
    FROM finding AS f
    GROUP BY ALL
)

SELECT
    w.*,
    p.status AS mechanism_status,
    x.tenant_class = 'unresolved' OR o.tenant_class = 'unresolved' AS tenant_unknown,
    CASE
        WHEN
            w.firm_milli >= s.confirmed_milli AND w.placement = 'fits'
            AND x.tenant_class != 'unresolved' AND o.tenant_class != 'unresolved'
            THEN 'confirmed'
        WHEN w.bits_milli >= s.probable_milli THEN 'probable'
    END AS strength,
    min(w.source_exchange_id) OVER (PARTITION BY w.exchange_id, w.bits_milli)
    = max(w.source_exchange_id) OVER (PARTITION BY w.exchange_id, w.bits_milli) AS alone_at_its_weight,
    row_number() OVER (
        PARTITION BY w.exchange_id
        ORDER BY
            w.bits_milli DESC, CASE p.status WHEN 'established' THEN 0 WHEN 'possible' THEN 1 ELSE 2 END, w.candidate_rank,
            w.source_exchange_id, k.ordinal, w.mechanism
    ) AS place
FROM weighed AS w
INNER JOIN scan AS s ON s.exchange_id = w.exchange_id
INNER JOIN exchange AS x ON x.exchange_id = w.exchange_id
INNER JOIN suspicion AS p ON p.exchange_id = w.exchange_id AND p.mechanism = w.mechanism
INNER JOIN mechanism AS k ON k.mechanism = w.mechanism
INNER JOIN exchange AS o ON o.exchange_id = w.source_exchange_id
ORDER BY w.exchange_id, place
