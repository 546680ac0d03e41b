-- question: Whose are the kept texts that share a passage with the one asked about?
-- grain: one row per exchange and side
-- inputs: shared (run, number, shared, longest: folded bytes), kept_print, kept_exchange_all, kept_text_all
-- assumptions: where several runs judged an exchange, the latest speaks for it.
WITH side AS (
    SELECT k.record_id, k.side, sum(s.shared)::BIGINT AS shared, max(s.longest)::BIGINT AS longest
    FROM shared AS s
    INNER JOIN kept_print AS k ON k.run = s.run AND k.number = s.number
    GROUP BY k.record_id, k.side
)

SELECT
    x.request_id, x.exchange_id, x.tenant, s.side, s.shared, s.longest, x.decode_worker,
    strftime(make_timestamp(x.received_ns // 1000), '%Y-%m-%dT%H:%M:%S.%fZ') AS received_at
FROM side AS s
INNER JOIN kept_text_all AS t ON t.record_id = s.record_id AND t.side = s.side
INNER JOIN kept_exchange_all AS x ON x.exchange_id = t.exchange_id AND x.run = t.run
QUALIFY row_number() OVER (PARTITION BY s.record_id, s.side ORDER BY x.run DESC, x.exchange_id) = 1
ORDER BY s.shared DESC, x.received_ns, x.request_id, s.side
