-- question: When was each exchange asked, how long did its first token take, how much of its prompt came from a cache, and
--   with whose salt?
-- grain: one row per exchange whose time of receipt is known
-- inputs: exchange, exchange_record, exchange_text, record, worker_epoch, tenant_organization; $user_paths
-- columns: place is the prefill worker, NULL where it is not known or there is one engine; waited_ns the time to the first
--   token; measured_by whose clock told it, so that like is compared with like; party the user within the tenant; salt a
--   digest of cache_salt or extra_key as the records spell it; cached_tokens as the engine counted them; known_from_ns the
--   start of that worker's process, where its log shows it
-- assumptions: an engine's own measure outranks the gateway's, decode before prefill, which sees no transfer. A gateway's
--   first token counts only where it is earlier than the end: of answers that were not streamed it knows none. The length
--   in characters of a prompt that was cut is taken as four for each token.
WITH told AS (
    SELECT
        er.exchange_id, r.record_id, r.cached_tokens,
        CASE
            WHEN r.kind = 'engine' THEN r.first_token_ns - r.received_ns
            WHEN r.first_token_ns < r.finished_ns THEN r.first_token_ns - coalesce(r.received_ns, r.at_ns)
        END AS waited_ns,
        CASE WHEN r.kind != 'engine' THEN 'gateway' ELSE coalesce(r.role, 'engine') END AS measured_by,
        CASE WHEN r.kind != 'engine' THEN 3 WHEN r.role = 'prefill' THEN 2 WHEN r.role IS NULL THEN 1 ELSE 0 END AS preference,
        coalesce(
            json_extract_string(r.identity, '$.cache_salt'), json_extract_string(r.identity, '$.extra_key'),
            json_extract_string(r.identity, '$.metadata.cache_salt')
        ) AS salt,
        list_filter(json_extract_string(r.identity, $user_paths::VARCHAR[]), LAMBDA name: name != '')[1] AS party
    FROM exchange_record AS er
    INNER JOIN record AS r ON r.record_id = er.record_id
    WHERE r.kind IN ('engine', 'client', 'openai')
),

whole AS (
    SELECT
        exchange_id,
        arg_min(waited_ns, (preference, record_id)) FILTER (WHERE waited_ns > 0) AS waited_ns,
        arg_min(measured_by, (preference, record_id)) FILTER (WHERE waited_ns > 0) AS measured_by,
        max(cached_tokens) AS cached_tokens,
        min(party) FILTER (WHERE party != '') AS party,
        min(substr(sha256(salt), 1, 16)) FILTER (WHERE salt != '') AS salt
    FROM told
    GROUP BY exchange_id
)

SELECT
    x.exchange_id, x.tenant, x.tenant_class, coalesce(o.organization, x.tenant) AS organization,
    coalesce(w.party, '') AS party, coalesce(x.model, '') AS model, x.prefill_worker AS place, x.received_ns,
    x.finished_ns, w.waited_ns, w.measured_by, w.cached_tokens, w.salt, x.prompt_tokens,
    coalesce(x.completion_tokens, 0) AS completion_tokens,
    CASE WHEN t.state = 'complete' THEN p.prompt_chars ELSE 4 * x.prompt_tokens END AS prompt_chars,
    e.start_ns AS known_from_ns
FROM exchange AS x
LEFT JOIN exchange_text AS t ON t.exchange_id = x.exchange_id AND t.side = 'prompt'
LEFT JOIN record AS p ON p.record_id = t.record_id
LEFT JOIN whole AS w ON w.exchange_id = x.exchange_id
LEFT JOIN tenant_organization AS o ON o.tenant = x.tenant
LEFT JOIN worker_epoch AS e
    ON e.worker = x.prefill_worker AND x.received_ns >= e.start_ns AND x.received_ns < e.end_ns
WHERE x.received_ns IS NOT NULL
ORDER BY x.exchange_id
