-- question: Whose is each text of the case, and which of a tenant's texts can only be its own?
-- grain: one row per part of a text; tenant NULL where its record belongs to no known exchange
-- inputs: text, exchange_record, exchange, report_row
-- assumptions: what a tenant sent until its first response that is or may be affected, and what it was sent before, is its
--   own. Later texts may hold another's words, as an affected answer does, and a prompt that has it as history
WITH first_doubt AS (
    SELECT
        tenant,
        min(received_ns) AS at_ns
    FROM report_row
    WHERE integrity IN ('affected', 'undetermined')
    GROUP BY tenant
)

SELECT
    e.tenant,
    coalesce(
        d.at_ns IS NULL OR e.received_ns < d.at_ns OR (e.received_ns = d.at_ns AND t.side = 'prompt'), false
    ) AS is_own,
    t.text
FROM text AS t
LEFT JOIN exchange_record AS x ON x.record_id = t.record_id
LEFT JOIN exchange AS e ON e.exchange_id = x.exchange_id
LEFT JOIN first_doubt AS d ON d.tenant = e.tenant
WHERE t.text <> ''
