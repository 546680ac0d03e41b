-- question: What of each exchange can be a sign of use: whose, with which key, how long, how near a limit, with what outcome?
-- grain: one row per exchange
-- inputs: exchange, exchange_record, exchange_text, record, suspicion, verdict, worker, worker_limit; $key_paths
-- columns: key is the gateway's name or digest of the API key; over_pool the outcome of a request over the pool, else NULL;
--   limit_tokens the prefill limit nearest to its length, of its own prefill worker if that is known
-- assumptions: a key is what the first of the declared paths finds in the identity of the exchange's records.
WITH keyed AS (
    SELECT er.exchange_id, min(list_filter(json_extract_string(r.identity, $key_paths::VARCHAR[]), LAMBDA name: name != '')[1]) AS key
    FROM exchange_record AS er
    INNER JOIN record AS r ON r.record_id = er.record_id
    WHERE r.identity IS NOT NULL
    GROUP BY er.exchange_id
),

limited AS (
    SELECT DISTINCT l.worker, l.limit_tokens
    FROM worker_limit AS l
    INNER JOIN worker AS w ON w.worker = l.worker AND w.role = 'prefill'
    WHERE l.in_force AND l.limit_tokens IS NOT NULL
),

near AS (
    SELECT x.exchange_id, arg_min(l.limit_tokens, (abs(x.prompt_tokens - l.limit_tokens), l.limit_tokens)) AS limit_tokens
    FROM exchange AS x
    INNER JOIN limited AS l ON l.worker = x.prefill_worker OR x.prefill_worker IS NULL
    WHERE x.prompt_tokens IS NOT NULL
    GROUP BY x.exchange_id
)

SELECT
    x.exchange_id, x.request_id, x.tenant, x.tenant_class, coalesce(k.key, '') AS key, x.received_ns, x.prompt_tokens,
    n.limit_tokens, s.outcome AS over_pool, coalesce(v.integrity = 'affected', false) AS affected, p.prompt_hash,
    t.record_id AS prompt_record_id
FROM exchange AS x
LEFT JOIN keyed AS k ON k.exchange_id = x.exchange_id
LEFT JOIN near AS n ON n.exchange_id = x.exchange_id
LEFT JOIN suspicion AS s ON s.exchange_id = x.exchange_id AND s.mechanism = 'over_pool'
LEFT JOIN verdict AS v ON v.exchange_id = x.exchange_id
LEFT JOIN exchange_text AS t ON t.exchange_id = x.exchange_id AND t.side = 'prompt'
LEFT JOIN record AS p ON p.record_id = t.record_id
WHERE x.received_ns IS NOT NULL
ORDER BY x.received_ns, x.exchange_id
