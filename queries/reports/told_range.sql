-- question: Which ranges of each tenant's own texts stood in affected responses of others?
-- grain: one row per owner, exchange of the owner, and range in it
-- inputs: report_told
-- columns: nothing of the recipients
SELECT DISTINCT
    source_tenant AS tenant,
    source_exchange_id,
    source_request_id,
    source_received_ns,
    source_side,
    source_part,
    source_message_index,
    source_field,
    source_start,
    source_end
FROM report_told
ORDER BY
    tenant, source_received_ns NULLS LAST, source_request_id, source_exchange_id,
    source_side, source_part, source_start, source_end
