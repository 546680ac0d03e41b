-- question: How many tenants received, owned, or may have owned the foreign content of affected responses?
-- grain: one row
-- inputs: report_row, report_told, report_possible
-- assumptions: recipients are customers, as in the headline; an owner counts whatever its class, and whoever received it
SELECT
    (SELECT count(DISTINCT tenant) FROM report_row WHERE counted AND tenant_class = 'customer') AS recipients,
    (SELECT count(DISTINCT source_tenant) FROM report_told) AS sources,
    (SELECT count(DISTINCT tenant) FROM report_possible) AS possible_sources
