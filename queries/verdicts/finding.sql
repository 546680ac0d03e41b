-- question: Which spans of a response hold another tenant's text that nothing innocent explains?
-- grain: one row per (exchange, mechanism, source exchange, span)
-- inputs: match_span, candidate, exchange, scan, answer_again, suspicion
-- assumptions: a span counts only where the mechanism could bring its source's pages to the response (candidate). A span
--   that is mostly explained by the recipient's own context, by public text or by text that many tenants hold is no
--   finding, unless what is left of it (names and figures in a phrase that everybody uses) would be enough alone. What
--   its source had itself been told by mistake, and sent on as history, is its first owner's: placement and rank are
--   those of the exchange that sent it on (via_exchange_id). A suspect's answer that repeats a passage of the recipient's own
--   context is the recipient's text on its way out: what stands in that passage says nothing against the recipient. Answers of
--   one kind of application resemble each other, whoever asked: where the mechanism is no more than possible, so that the
--   passage alone must show that anything was read, what stands in another's answer weighs half.
WITH span AS (
    SELECT
        m.* REPLACE (
            CASE WHEN m.source_side = 'response' AND p.status = 'possible' THEN m.bits_milli // 2 ELSE m.bits_milli END
                AS bits_milli
        ),
        c.mechanism, c.placement, c.rank AS candidate_rank
    FROM match_span AS m
    INNER JOIN candidate AS c ON c.exchange_id = m.exchange_id AND c.source_exchange_id = m.source_exchange_id
    INNER JOIN suspicion AS p ON p.exchange_id = c.exchange_id AND p.mechanism = c.mechanism
),

held AS (
    SELECT m.*, x.tenant
    FROM span AS m
    INNER JOIN exchange AS x ON x.exchange_id = m.exchange_id
    INNER JOIN scan AS s ON s.exchange_id = m.exchange_id
    WHERE
        (m.explained_by IS NULL OR m.bits_milli >= s.probable_milli) AND m.source_tenant IS DISTINCT FROM x.tenant
        AND NOT (
            m.kind = 'facts' AND m.source_side = 'response'
            AND m.source_exchange_id IN (SELECT exchange_id FROM suspicion WHERE status IN ('established', 'possible'))
            AND EXISTS (
                SELECT 1 FROM match_span AS w
                WHERE
                    w.exchange_id = m.exchange_id AND w.source_exchange_id = m.source_exchange_id
                    AND w.kind = 'aligned' AND w.explained_by = 'own_context' AND w.response_part = m.response_part
                    AND w.response_start <= m.response_start AND w.response_end >= m.response_end
            )
        )
),

sent_on AS (
    SELECT
        h.exchange_id, h.mechanism, h.source_exchange_id, h.span, o.source_exchange_id AS owner_exchange_id,
        o.source_tenant AS owner, o.source_side, o.source_part, o.source_message_index, o.source_field, o.source_start,
        o.source_end
    FROM held AS h
    INNER JOIN answer_again AS g
        ON g.exchange_id = h.source_exchange_id AND h.source_side = 'prompt' AND g.part = h.source_part
    INNER JOIN held AS o
        ON
            o.exchange_id = g.said_exchange_id AND o.response_part = g.said_part
            AND 2 * (least(o.response_end, h.source_end) - greatest(o.response_start, h.source_start))
            >= least(h.source_end - h.source_start, o.response_end - o.response_start)
    QUALIFY row_number() OVER (
        PARTITION BY h.exchange_id, h.mechanism, h.source_exchange_id, h.span
        ORDER BY o.bits_milli DESC, o.source_exchange_id, o.span, o.mechanism
    ) = 1
)

SELECT
    h.exchange_id, h.mechanism, coalesce(o.owner_exchange_id, h.source_exchange_id) AS source_exchange_id, h.span,
    coalesce(o.owner, h.source_tenant) AS source_tenant, h.kind, h.placement, h.candidate_rank,
    h.response_part, h.response_field, h.response_start, h.response_end,
    if(o.owner IS NULL, h.source_side, o.source_side) AS source_side,
    if(o.owner IS NULL, h.source_part, o.source_part) AS source_part,
    if(o.owner IS NULL, h.source_message_index, o.source_message_index) AS source_message_index,
    if(o.owner IS NULL, h.source_field, o.source_field) AS source_field,
    coalesce(o.source_start, h.source_start) AS source_start, coalesce(o.source_end, h.source_end) AS source_end,
    h.bits_milli, h.similarity_milli, h.holders,
    if(o.owner IS NULL, NULL, h.source_exchange_id) AS via_exchange_id
FROM held AS h
LEFT JOIN sent_on AS o
    ON
        o.exchange_id = h.exchange_id AND o.mechanism = h.mechanism AND o.source_exchange_id = h.source_exchange_id
        AND o.span = h.span
WHERE
    coalesce(o.owner, h.source_tenant) IS DISTINCT FROM h.tenant
    -- where the first owner's own pages explain the response too, they do so once
    AND NOT EXISTS (
        SELECT 1 FROM held AS d
        WHERE d.exchange_id = h.exchange_id AND d.mechanism = h.mechanism AND d.source_exchange_id = o.owner_exchange_id
    )
ORDER BY h.exchange_id, h.mechanism, source_exchange_id, h.span
