-- question: Of which exchanges could an engine's own line have told something that no log held shows?
-- grain: one row per (exchange, what): the line of the KV checksum's, the metadata check's (collision) or the canary's, or
--   what shows that a transfer was whole (transfer)
-- inputs: exchange, exchange_record, record, file, worker, engine_record, model_pair, model_name, backend_declared, clock,
--   gap, printed_silence, detector_flag
-- assumptions: detectors write to what the engine prints. A log that is held and whole, and has no such line, is silent; what
--   silence means is each mechanism's business. A log that is not held, or has a hole while the exchange ran, is not silent:
--   unknown is not clean; a line is written before its request ends, and stamps are of whole seconds at worst. Where most engines' logs lose lines in an hour, so may those of which it cannot be seen. Where no
--   log places the exchange, it may have run on each worker that serves its model; and where other requests of its model stand
--   in the engines' logs and this answered one does not, it stood where something is lost.
--   A detector that is shown, or declared, to be off wrote nothing wherever its log is; so did vLLM, which has none of these.
--   An answer that a gateway records as its own cache's ran nowhere.
WITH printed AS (
    SELECT f.worker, bool_and(r.format = 'vllm_request_log') AS vllm
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE f.worker IS NOT NULL AND r.format IN ('sglang_engine_log', 'vllm_request_log')
    GROUP BY f.worker
),

told AS (
    SELECT DISTINCT worker
    FROM engine_record
    WHERE kind = 'engine' AND rid IS NOT NULL AND format IN ('sglang_engine_log', 'vllm_request_log')
),

lossy AS (
    SELECT who AS worker, from_ns, to_ns, reason
    FROM gap
    WHERE
        source IN ('sglang_engine_log', 'vllm_request_log') OR how = 'answered requests'
        OR (how = 'access lines' AND who IN (SELECT worker FROM told))
),

lossy_hour AS (
    SELECT h.hour AS from_ns, h.hour + 3600000000000 AS to_ns
    FROM (
        SELECT DISTINCT worker, unnest([from_ns // 3600000000000, to_ns // 3600000000000]) * 3600000000000 AS hour FROM lossy
    ) AS h
    GROUP BY h.hour
    HAVING count(*) * 2 > (SELECT count(*) FROM printed)
),

hole AS (
    SELECT * FROM lossy
    UNION ALL
    SELECT p.worker, h.from_ns, h.to_ns, 'engine_log_missing' FROM printed AS p CROSS JOIN lossy_hour AS h
    UNION ALL
    SELECT s.who, s.from_ns - coalesce(k.skew_ns, 0), s.to_ns - coalesce(k.skew_ns, 0), 'engine_log_missing'
    FROM printed_silence AS s
    LEFT JOIN clock AS k ON k.worker = s.who
    WHERE s.who IN (SELECT worker FROM printed)
),

sampled AS (
    -- logs of a model's engines that keep some requests only
    SELECT DISTINCT who FROM gap WHERE reason = 'sampled_out' AND source = 'engine'
),

serving AS (
    SELECT w.worker, w.role, coalesce(m.client_model, n.name) AS model
    FROM worker AS w
    LEFT JOIN model_pair AS m ON m.engine_model = w.model
    LEFT JOIN model_name AS n ON n.alias = w.model
    WHERE w.role IN ('decode', 'prefill', 'unified')
),

counted AS (
    SELECT
        model, bool_or(decode_id IS NOT NULL) AS by_decode, bool_or(prefill_id IS NOT NULL) AS by_prefill
    FROM exchange
    GROUP BY model
),

ran AS (
    SELECT
        x.*, x.received_ns AS from_ns, coalesce(x.released_ns, x.client_finished_ns, x.finished_ns, x.received_ns) AS to_ns,
        coalesce(c.by_decode, false) AS by_decode, coalesce(c.by_prefill, false) AS by_prefill,
        coalesce(NOT b.detectors, false) AS declared_off
    FROM exchange AS x
    LEFT JOIN counted AS c ON c.model IS NOT DISTINCT FROM x.model
    LEFT JOIN backend_declared AS b ON b.model = x.model
    WHERE x.exchange_id NOT IN (
        SELECT e.exchange_id
        FROM exchange_record AS e
        INNER JOIN record AS r ON r.record_id = e.record_id AND r.kind = 'client'
        WHERE try_cast(r.detail ->> 'cache_hit' AS BOOLEAN)
    )
),

half AS (
    SELECT
        exchange_id, 'decode' AS side, decode_worker AS worker, model, backend, from_ns, to_ns, declared_off,
        decode_id IS NULL AND NOT room_ambiguous AND by_decode AND delivered = 'yes' AS lost, decode_refused
    FROM ran
    UNION ALL
    SELECT
        exchange_id, 'prefill', prefill_worker, model, backend, from_ns, to_ns, declared_off,
        prefill_id IS NULL AND NOT room_ambiguous AND by_prefill AND delivered = 'yes', decode_refused
    FROM ran
    WHERE backend != 'not_disaggregated'
),

place AS (
    -- the workers where a half of the exchange ran, or may have; none where none is known
    SELECT h.*, coalesce(h.worker, s.worker) AS at_worker
    FROM half AS h
    LEFT JOIN serving AS s
        ON
            h.worker IS NULL
            AND (s.role = 'prefill') = (h.side = 'prefill')
            AND (h.backend = 'unknown' OR s.role IS DISTINCT FROM if(h.backend = 'disaggregated', 'unified', 'decode'))
            AND (s.model IS NULL OR h.model IS NULL OR s.model = h.model)
),

heard AS (
    SELECT
        p.exchange_id, p.side, p.at_worker, p.declared_off, p.decode_refused,
        p.lost, w.worker IS NOT NULL AS held, coalesce(w.vllm, false) AS vllm,
        s.who IS NOT NULL AS is_sampled,
        (SELECT min(o.reason) FROM hole AS o WHERE o.worker = p.at_worker AND o.from_ns + 1000000000 <= p.to_ns AND o.to_ns >= p.from_ns) AS hole,
        coalesce(bool_and(d.told AND NOT d.checksum), false) AS checksum_off,
        coalesce(bool_and(d.told AND NOT d.canary), false) AS canary_off
    FROM place AS p
    LEFT JOIN printed AS w ON w.worker = p.at_worker
    LEFT JOIN sampled AS s ON s.who = p.side || ' of ' || coalesce(p.model, 'an unknown model')
    LEFT JOIN clock AS k ON k.worker = p.at_worker
    LEFT JOIN detector_flag AS d
        ON
            d.worker = p.at_worker AND d.end_ns > p.from_ns + coalesce(k.skew_ns, 0)
            AND coalesce(d.start_ns, -1) <= p.to_ns + coalesce(k.skew_ns, 0)
    GROUP BY ALL
),

missed AS (
    SELECT
        *,
        CASE
            WHEN vllm THEN NULL
            WHEN is_sampled THEN 'sampled_out'
            WHEN NOT held OR lost THEN 'engine_log_missing'
            ELSE hole
        END AS why
    FROM heard
)

SELECT exchange_id, what, min(why) AS reason
FROM (
    SELECT exchange_id, 'checksum' AS what, why FROM missed WHERE side = 'decode' AND NOT checksum_off AND NOT declared_off
    UNION ALL
    SELECT exchange_id, 'collision', why FROM missed WHERE side = 'decode' AND NOT declared_off
    UNION ALL
    SELECT exchange_id, 'canary', why FROM missed WHERE NOT canary_off AND NOT declared_off
    UNION ALL
    SELECT exchange_id, 'transfer', why FROM missed WHERE NOT decode_refused
)
WHERE why IS NOT NULL
GROUP BY exchange_id, what
ORDER BY exchange_id, what
