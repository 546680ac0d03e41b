-- question: How many responses are affected, of how many examined?
-- grain: one row
-- inputs: report_row, scan, suspicion
SELECT
    count(*) AS examined,
    count(*) FILTER (WHERE delivered = 'yes') AS delivered,
    count(*) FILTER (WHERE counted) AS affected,
    count(*) FILTER (WHERE counted AND disclosure IS NULL) AS disclosure_not_examined,
    count(*) FILTER (WHERE counted AND outside_window) AS outside_window,
    count(*) FILTER (WHERE counted AND tenant_class = 'unresolved') AS affected_unresolved,
    count(*) FILTER (WHERE headline AND integrity = 'undetermined') AS undetermined,
    count(*) FILTER (WHERE integrity = 'affected') AS affected_all_classes,
    count(*) FILTER (WHERE basis IN ('text', 'both')) AS judged_by_text,
    (SELECT count(*) FROM scan) AS scanned,
    (SELECT count(DISTINCT exchange_id) FROM suspicion WHERE status IN ('established', 'possible')) AS suspects
FROM report_row
