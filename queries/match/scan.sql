-- question: How complete was the search of a response, and what must a match weigh to count?
-- grain: one row per examined exchange
-- inputs: examined, exchange, exchange_text, cut_by_tokens, candidate, mechanism, suspicion, blind, lived, worker_epoch
-- assumptions: a candidate is complete if its whole prompt is there, and its response too where one was delivered; where the
--   mechanism carries prompts only (a late write: only a prompt's KV is transferred) the prompt suffices. Where an exchange may
--   have lived on the worker of a suspect unseen since the process started, or where that start is not known, a candidate of a
--   mechanism that reads pages, or what a neighbour held, may be missing altogether. A threshold is log2 of the candidates
--   that were tried plus a declared margin.
WITH held AS (
    -- a text that does not fit its tokens was cut, even without a mark; what is left of it is searched all the same
    SELECT t.exchange_id, t.side, if(c.exchange_id IS NULL, t.state, 'truncated') AS state
    FROM exchange_text AS t
    LEFT JOIN cut_by_tokens AS c ON c.exchange_id = t.exchange_id AND c.side = t.side
),

pair AS (
    SELECT DISTINCT c.exchange_id, c.source_exchange_id, bool_and(m.carries = 'prompt') AS prompt_only
    FROM candidate AS c
    INNER JOIN mechanism AS m ON m.mechanism = c.mechanism
    GROUP BY c.exchange_id, c.source_exchange_id
),

tried AS (
    SELECT
        p.exchange_id, p.source_exchange_id,
        pt.state AS prompt_state,
        CASE WHEN p.prompt_only OR x.delivered = 'no' THEN 'complete' ELSE rt.state END AS response_state,
        pt.state IS NOT NULL OR rt.state IS NOT NULL AS has_text
    FROM pair AS p
    INNER JOIN exchange AS x ON x.exchange_id = p.source_exchange_id
    LEFT JOIN held AS pt ON pt.exchange_id = p.source_exchange_id AND pt.side = 'prompt'
    LEFT JOIN held AS rt ON rt.exchange_id = p.source_exchange_id AND rt.side = 'response'
),

counted AS (
    SELECT
        exchange_id,
        count(*) AS candidates,
        count(*) FILTER (WHERE has_text) AS with_text,
        count(*) FILTER (WHERE coalesce(prompt_state = 'complete' AND response_state = 'complete', false)) AS complete,
        bool_or(prompt_state IS NULL) AS prompt_missing,
        bool_or(prompt_state = 'truncated') AS prompt_truncated,
        bool_or(response_state IS NULL) AS response_missing,
        bool_or(response_state = 'truncated') AS response_truncated
    FROM tried
    GROUP BY exchange_id
),

unlisted AS (
    SELECT x.exchange_id, min(coalesce(g.reason, 'retention_expired')) AS reason
    FROM exchange AS x
    INNER JOIN suspicion AS s ON s.exchange_id = x.exchange_id AND s.status IN ('established', 'possible', 'undetermined')
    INNER JOIN mechanism AS m ON m.mechanism = s.mechanism AND m.sources = 'pages'
    LEFT JOIN blind AS g
        ON
            g.worker IS NOT DISTINCT FROM x.decode_worker
            AND g.from_ns <= coalesce(x.reserved_ns, x.received_ns)
            AND g.to_ns >= coalesce(x.epoch_ns, -9223372036854775807)
    WHERE g.reason IS NOT NULL OR (x.decode_worker IS NOT NULL AND x.epoch_ns IS NULL)
    GROUP BY x.exchange_id
    UNION ALL
    SELECT v.exchange_id, min(coalesce(g.reason, 'retention_expired'))
    FROM lived AS v
    INNER JOIN suspicion AS s ON s.exchange_id = v.exchange_id AND s.status IN ('established', 'possible', 'undetermined')
    INNER JOIN mechanism AS m ON m.mechanism = s.mechanism AND m.sources = 'neighbours'
    INNER JOIN worker_epoch AS e ON e.worker = v.worker AND v.from_ns >= coalesce(e.start_ns, -1) AND v.from_ns < e.end_ns
    LEFT JOIN blind AS g
        ON g.worker = v.worker AND g.from_ns <= v.to_ns AND g.to_ns >= coalesce(e.start_ns, -9223372036854775807)
    WHERE g.reason IS NOT NULL OR e.start_ns IS NULL
    GROUP BY v.exchange_id
),

unseen AS (SELECT exchange_id, min(reason) AS reason FROM unlisted GROUP BY exchange_id),

judged AS (
    SELECT
        e.exchange_id,
        coalesce(t.state, 'absent') AS response_state,
        coalesce(c.candidates, 0) AS candidates,
        coalesce(c.complete, 0) AS candidates_complete,
        coalesce(c.candidates, 0) - coalesce(c.complete, 0) AS candidates_incomplete,
        CASE
            WHEN t.state IS NULL THEN 'response_missing'
            WHEN t.state != 'complete' THEN 'response_truncated'
            WHEN u.exchange_id IS NOT NULL THEN u.reason
            WHEN c.exchange_id IS NULL THEN NULL
            WHEN c.prompt_missing THEN 'prompt_missing'
            WHEN c.prompt_truncated THEN 'prompt_truncated'
            WHEN c.response_missing THEN 'response_missing'
            WHEN c.response_truncated THEN 'response_truncated'
        END AS missing_why,
        round(1000 * log2(greatest(c.with_text, 1)))::BIGINT AS base_milli
    FROM examined AS e
    LEFT JOIN held AS t ON t.exchange_id = e.exchange_id AND t.side = 'response'
    LEFT JOIN counted AS c ON c.exchange_id = e.exchange_id
    LEFT JOIN unseen AS u ON u.exchange_id = e.exchange_id
)

SELECT
    exchange_id, response_state, candidates, candidates_complete, candidates_incomplete,
    missing_why IS NULL AS complete,
    missing_why,
    coalesce(base_milli, 0) + $probable_milli::BIGINT AS probable_milli,
    coalesce(base_milli, 0) + $confirmed_milli::BIGINT AS confirmed_milli
FROM judged
ORDER BY exchange_id
