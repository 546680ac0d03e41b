-- question: Is this response affected, does it carry another tenant's content, and how is that known?
-- grain: one row per exchange
-- inputs: exchange, suspicion, mechanism, source, scan, finding; $metadata_only, $scope
-- assumptions: design.md, "Words": an established mechanism, or foreign text where a possible one applies, affects (not
--   where the records merely leave a mechanism open, nor between tenants that may be one);
--   only a complete scan clears a possible late write; nothing clears an over-pool that the records leave open; what
--   an engine's own line would have told, whose log is not held there (unrecorded), leaves integrity open, but makes nobody a
--   suspect; what brought the client not a single byte of generated content is not affected (no_response). In the scope
--   one-tenant nothing is not affected: what the records of one tenant exclude is undetermined (outside_scope).
WITH over_pool AS (SELECT * FROM suspicion WHERE mechanism = 'over_pool'),

open AS (
    -- the mechanisms that the records leave open for an exchange, the surest first
    SELECT
        exchange_id, mechanism, status, reason, basis, detail, clearable, trigger_exchange_id,
        row_number() OVER (
            PARTITION BY exchange_id
            ORDER BY CASE status WHEN 'established' THEN 0 WHEN 'undetermined' THEN 1 WHEN 'possible' THEN 2 ELSE 3 END, ordinal, mechanism
        ) AS place
    FROM suspicion
    INNER JOIN mechanism USING (mechanism)
    WHERE status NOT IN ('excluded', 'not_examined')
),

examined AS (
    SELECT
        exchange_id,
        to_json(map_from_entries(list((mechanism, status) ORDER BY mechanism))) AS examined,
        string_agg(replace(mechanism, '_', '-'), ' or ' ORDER BY mechanism) FILTER (WHERE status NOT IN ('not_examined', 'unrecorded')) AS names,
        bool_and(clearable OR status IN ('excluded', 'not_examined', 'unrecorded')) AS all_clearable,
        bool_or(status = 'undetermined' OR (status = 'possible' AND NOT clearable)) AS uncleared,
        min(reason) FILTER (WHERE status = 'unrecorded') AS unrecorded
    FROM suspicion
    GROUP BY exchange_id
),

best AS (SELECT * FROM source WHERE place = 1 AND strength IS NOT NULL),

many AS (
    SELECT
        s.exchange_id,
        to_json(list({
            'request_id': x.request_id, 'tenant': s.source_tenant, 'strength': s.strength, 'bits_milli': s.bits_milli,
            'mechanism': s.mechanism
        } ORDER BY s.place)) AS sources,
        count(DISTINCT s.source_tenant) FILTER (WHERE s.bits_milli = b.bits_milli) AS tenants_at_top
    FROM source AS s
    INNER JOIN best AS b ON b.exchange_id = s.exchange_id
    INNER JOIN exchange AS x ON x.exchange_id = s.source_exchange_id
    WHERE s.strength IS NOT NULL
    GROUP BY s.exchange_id
),

weighed AS (
    SELECT
        x.*, o.mechanism AS open_mechanism, o.status AS open_status, o.reason AS open_reason, o.basis AS open_basis,
        b.strength, b.mechanism AS found_mechanism, b.source_exchange_id AS found_source, b.source_tenant AS found_tenant,
        b.alone_at_its_weight, b.tenant_unknown, b.mechanism_status, b.bits_milli AS found_milli, m.sources, m.tenants_at_top, e.examined, e.names,
        e.unrecorded, coalesce(s.complete, false) AND e.all_clearable AND NOT e.uncleared AS rest_cleared,
        s.exchange_id IS NOT NULL AS scanned,
        coalesce(s.complete, false) AS scan_complete,
        s.missing_why,
        op.outcome AS over_pool_outcome,
        CASE
            WHEN x.delivered = 'no' THEN 'not_affected'
            WHEN o.status = 'established' AND x.delivered = 'yes' THEN 'affected'
            WHEN o.exchange_id IS NULL THEN 'not_affected'
            WHEN b.mechanism_status = 'possible' AND NOT b.tenant_unknown AND x.delivered = 'yes' THEN 'affected'
            WHEN b.strength IS NOT NULL THEN 'undetermined'
            WHEN e.uncleared OR o.status = 'established' THEN 'undetermined'
            WHEN e.unrecorded IS NOT NULL THEN 'undetermined'
            WHEN coalesce(s.complete, false) AND e.all_clearable THEN 'not_affected'
            ELSE 'undetermined'
        END AS integrity
    FROM exchange AS x
    LEFT JOIN open AS o ON o.exchange_id = x.exchange_id AND o.place = 1
    LEFT JOIN best AS b ON b.exchange_id = x.exchange_id
    LEFT JOIN many AS m ON m.exchange_id = x.exchange_id
    LEFT JOIN examined AS e ON e.exchange_id = x.exchange_id
    LEFT JOIN scan AS s ON s.exchange_id = x.exchange_id
    LEFT JOIN over_pool AS op ON op.exchange_id = x.exchange_id
),

judged AS (
    -- one tenant's own records cannot show what became of its pages, or whose they were
    SELECT
        * REPLACE (if($scope = 'one-tenant' AND integrity = 'not_affected', 'undetermined', integrity) AS integrity),
        $scope = 'one-tenant' AND (integrity = 'not_affected' OR (integrity = 'undetermined' AND open_status = 'unrecorded'))
            AS beyond_scope
    FROM weighed
),

told AS (
    SELECT
        *,
        CASE
            WHEN integrity = 'not_affected' THEN NULL
            WHEN $metadata_only THEN NULL
            WHEN strength IS NOT NULL THEN strength
            WHEN integrity = 'undetermined' THEN 'undetermined'
            WHEN scan_complete THEN 'none_found'
            ELSE 'undetermined'
        END AS disclosure
    FROM judged
)

SELECT
    t.exchange_id, t.request_id, t.tenant, t.tenant_class, t.model,
    strftime(make_timestamp(t.received_ns // 1000), '%Y-%m-%dT%H:%M:%S.%fZ') AS received_at,
    t.received_ns,
    t.integrity,
    CASE
        WHEN t.beyond_scope THEN 'outside_scope'
        WHEN t.integrity = 'affected' THEN if(t.open_status = 'established', 'mechanism_established', 'foreign_text')
        WHEN t.integrity = 'not_affected' AND t.delivered = 'no' THEN 'no_response'
        WHEN t.integrity = 'not_affected' AND t.open_mechanism IS NOT NULL THEN 'suspected_cleared'
        WHEN t.integrity = 'not_affected' THEN 'excluded_by_records'
        WHEN t.delivered = 'unknown' AND t.open_status = 'established' THEN 'client_record_missing'
        WHEN t.mechanism_status = 'possible' AND t.tenant_unknown THEN 'tenant_unknown'
        WHEN t.open_status IN ('undetermined', 'unrecorded') THEN t.open_reason
        WHEN t.rest_cleared AND t.strength IS NULL AND t.unrecorded IS NOT NULL THEN t.unrecorded
        WHEN $metadata_only OR t.scan_complete OR NOT t.scanned THEN coalesce(t.open_reason, 'mechanism_possible')
        ELSE coalesce(t.missing_why, t.open_reason)
    END AS integrity_reason,
    t.disclosure,
    CASE
        WHEN t.disclosure = 'probable' AND t.tenant_unknown THEN 'tenant_unknown'
        WHEN t.disclosure IN ('confirmed', 'probable') THEN 'text_of_another_tenant'
        WHEN t.disclosure = 'none_found' THEN 'both_texts_scanned'
        WHEN t.beyond_scope AND t.disclosure = 'undetermined' THEN 'outside_scope'
        WHEN t.disclosure = 'undetermined' AND NOT t.scanned THEN 'response_missing'
        WHEN t.disclosure = 'undetermined' THEN coalesce(t.missing_why, t.open_reason, 'mechanism_possible')
    END AS disclosure_reason,
    CASE
        WHEN t.strength IS NOT NULL THEN 'both'
        WHEN t.scanned AND t.open_mechanism IS NOT NULL AND t.integrity = 'not_affected' THEN 'both'
        ELSE 'metadata'
    END AS basis,
    t.open_basis AS grounds,
    CASE
        WHEN t.integrity = 'affected' AND t.open_status != 'established' THEN t.found_mechanism
        WHEN t.integrity != 'not_affected' AND t.open_status != 'unrecorded' THEN t.open_mechanism
    END AS mechanism,
    t.examined,
    CASE
        WHEN t.integrity = 'not_affected' AND t.delivered = 'no' THEN 'nothing was delivered'
        WHEN t.integrity = 'not_affected' THEN 'not affected by ' || t.names || '; others not examined'
    END AS scope,
    t.decode_worker, t.dp_rank,
    CASE WHEN t.strength IS NOT NULL AND t.alone_at_its_weight THEN sx.request_id END AS source_request_id,
    CASE WHEN t.strength IS NOT NULL AND t.tenants_at_top = 1 THEN t.found_tenant END AS source_tenant,
    CASE WHEN t.strength IS NOT NULL AND t.alone_at_its_weight THEN t.found_source END AS source_exchange_id,
    t.sources,
    t.delivered,
    t.over_pool_outcome AS over_pool,
    t.prompt_tokens, t.completion_tokens,
    t.found_milli AS bits_milli
FROM told AS t
LEFT JOIN exchange AS sx ON sx.exchange_id = t.found_source
ORDER BY t.received_ns, t.request_id, t.exchange_id
