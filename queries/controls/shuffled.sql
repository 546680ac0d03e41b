-- question: Which neighbours are dealt to exchanges that no mechanism touched, of those that cannot have been theirs?
-- grain: one row per (exchange, neighbour)
-- inputs: exchange; $exchanges (untouched ones), $most neighbours of each
-- assumptions: a neighbour of another tenant that lived on another worker or rank, or came later; a hash of both ids deals,
--   so that the same evidence deals the same.
SELECT
    x.exchange_id, 'over_pool' AS mechanism, o.exchange_id AS source_exchange_id, 'fits' AS placement,
    o.received_ns AS last_ns,
    (row_number() OVER (PARTITION BY x.exchange_id ORDER BY md5(x.exchange_id || o.exchange_id)))::INTEGER AS "rank"
FROM exchange AS x
INNER JOIN exchange AS o
    ON
        o.tenant != x.tenant AND o.tenant_class != 'unresolved'
        AND (
            o.received_ns > coalesce(x.finished_ns, x.received_ns)
            OR o.decode_worker IS DISTINCT FROM x.decode_worker OR o.dp_rank IS DISTINCT FROM x.dp_rank
        )
WHERE
    x.exchange_id IN (SELECT unnest($exchanges::VARCHAR[]))
    AND o.exchange_id IN (SELECT unnest($exchanges::VARCHAR[]))
QUALIFY "rank" <= $most
ORDER BY ALL
