-- question: Which exchanges got what a gateway had kept, or was carrying, for another tenant?
-- grain: one row per exchange
-- inputs: exchange, exchange_record, record, file
-- mechanism: gateway_mixup
-- order: 50
-- sources: named
-- requires: gateway log
-- needs: the gateway's record of each call, with its cache hits, cache keys, response ids and session ids
-- establishes: a cache hit that replays an answer made for another tenant's call with other messages: the keys collided.
-- possible: a replay of another tenant's answer to the same messages, or to messages that no record shows; one response id, or
--   one captured stream, that two tenants' calls carry at the same time; one session id that two or three tenants use.
-- undetermined: a replay of an answer of which no record shows for whose call it was made.
-- excludes: a call that an engine answered itself, with a response id, session and connection that no other tenant has.
-- assumptions: a replayed answer is found by the id that it kept, else by its cache key. A session id that more than three
--   tenants use is a name that clients' programs come with, not a session. A capture of more than two streams is a log of many.
-- false positives: two names of one tenant; a shared cache of public answers; ids that callers set. A complete scan clears
--   what is only possible.
WITH client AS (
    SELECT
        e.exchange_id, x.tenant, x.tenant_class, x.received_ns, coalesce(x.finished_ns, x.received_ns) AS finished_ns,
        r.response_id, r.prompt_hash, r.file_id, r.format,
        coalesce(try_cast(r.detail ->> 'cache_hit' AS BOOLEAN), false) AS replay,
        nullif(r.detail ->> 'cache_key', '') AS cache_key,
        nullif(r.detail ->> 'replayed_response_id', '') AS kept_id,
        nullif(r.identity ->> 'session_id', '') AS session_id
    FROM exchange_record AS e
    INNER JOIN exchange AS x ON x.exchange_id = e.exchange_id
    INNER JOIN record AS r ON r.record_id = e.record_id AND r.kind = 'client'
    WHERE x.tenant_class != 'unresolved'
),

kept AS (
    SELECT c.exchange_id, c.tenant, c.received_ns, c.prompt_hash, o.exchange_id AS other_id, o.tenant AS other_tenant,
        o.received_ns AS other_ns, o.finished_ns AS last_ns, o.prompt_hash AS other_hash
    FROM client AS c
    INNER JOIN client AS o ON o.response_id = c.kept_id
    WHERE c.replay AND NOT o.replay
    UNION ALL
    SELECT c.exchange_id, c.tenant, c.received_ns, c.prompt_hash, o.exchange_id, o.tenant, o.received_ns, o.finished_ns, o.prompt_hash
    FROM client AS c
    INNER JOIN client AS o ON o.cache_key = c.cache_key
    WHERE c.replay AND NOT o.replay AND c.kept_id IS NULL
),

replayed AS (
    SELECT exchange_id, other_id, last_ns, if(prompt_hash != other_hash, 'other question', 'replay') AS how
    FROM kept AS c
    WHERE other_tenant != tenant AND other_ns <= received_ns
    QUALIFY row_number() OVER (PARTITION BY exchange_id ORDER BY other_ns DESC, other_id) = 1
),

session_held AS (
    SELECT session_id FROM client WHERE session_id IS NOT NULL GROUP BY session_id HAVING count(DISTINCT tenant) IN (2, 3)
),

connection AS (
    SELECT file_id
    FROM client
    WHERE format = 'sse_stream'
    GROUP BY file_id
    HAVING count(DISTINCT tenant) = 2 AND count(DISTINCT exchange_id) = 2
),

shared AS (
    SELECT c.exchange_id, o.exchange_id AS other_id, o.received_ns AS last_ns, 'id' AS how
    FROM client AS c
    INNER JOIN client AS o
        ON
            o.response_id = c.response_id AND o.tenant != c.tenant
            AND o.received_ns <= c.finished_ns AND c.received_ns <= o.finished_ns
    UNION ALL
    SELECT c.exchange_id, o.exchange_id, o.received_ns, 'session'
    FROM client AS c
    INNER JOIN session_held USING (session_id)
    INNER JOIN client AS o ON o.session_id = c.session_id AND o.tenant != c.tenant AND o.received_ns <= c.finished_ns
    UNION ALL
    SELECT c.exchange_id, o.exchange_id, o.received_ns, 'connection'
    FROM client AS c
    INNER JOIN connection USING (file_id)
    INNER JOIN client AS o ON o.file_id = c.file_id AND o.tenant != c.tenant
    WHERE
        c.format = 'sse_stream' AND o.format = 'sse_stream'
        AND o.received_ns <= c.finished_ns AND c.received_ns <= o.finished_ns
),

grounds AS (
    SELECT * FROM replayed
    UNION
    SELECT * FROM shared
),

told AS (
    SELECT
        exchange_id, bool_or(how = 'other question') AS collided, min(how) FILTER (WHERE how != 'other question') AS how,
        list(DISTINCT {'exchange_id': other_id, 'placement': 'fits', 'last_ns': last_ns}) AS named,
        arg_max(other_id, (last_ns, other_id)) AS other_id
    FROM grounds
    GROUP BY exchange_id
),

seen AS (SELECT DISTINCT exchange_id FROM client),

orphan AS (
    SELECT DISTINCT exchange_id FROM client WHERE replay AND exchange_id NOT IN (SELECT exchange_id FROM kept WHERE other_ns <= received_ns)
)

SELECT
    x.exchange_id,
    CASE
        WHEN t.collided THEN 'established'
        WHEN t.exchange_id IS NOT NULL THEN 'possible'
        WHEN o.exchange_id IS NOT NULL THEN 'undetermined'
        WHEN s.exchange_id IS NOT NULL THEN 'excluded'
        ELSE 'not_examined'
    END AS status,
    CASE
        WHEN t.collided THEN NULL
        WHEN t.exchange_id IS NOT NULL THEN 'mechanism_possible'
        WHEN o.exchange_id IS NOT NULL THEN 'client_record_missing'
        WHEN s.exchange_id IS NOT NULL THEN NULL
        WHEN x.tenant_class = 'unresolved' THEN 'tenant_unknown'
        ELSE 'client_record_missing'
    END AS reason,
    'records' AS basis,
    CASE
        WHEN t.collided THEN 'the gateway replayed an answer that it had kept for another tenant''s other question'
        WHEN t.how = 'replay' THEN 'the gateway replayed an answer that it had kept for another tenant'
        WHEN t.how = 'id' THEN 'another tenant''s call had the same response id at the same time'
        WHEN t.how = 'connection' THEN 'one captured stream holds it and another tenant''s answer of the same time'
        WHEN t.how = 'session' THEN 'another tenant used its session id'
        WHEN o.exchange_id IS NOT NULL THEN 'the gateway replayed an answer, and no record shows for whose call it was made'
        WHEN s.exchange_id IS NOT NULL THEN 'its gateway''s record names no id, session, connection or cached answer of another tenant'
        WHEN x.tenant_class = 'unresolved' THEN 'whose call it was is not known'
        ELSE 'no record of the client or gateway'
    END AS detail,
    t.other_id AS trigger_exchange_id,
    t.exchange_id IS NOT NULL AND NOT t.collided AS clearable,
    t.named
FROM exchange AS x
LEFT JOIN told AS t ON t.exchange_id = x.exchange_id
LEFT JOIN seen AS s ON s.exchange_id = x.exchange_id
LEFT JOIN orphan AS o ON o.exchange_id = x.exchange_id
ORDER BY x.exchange_id
