-- question: With which beginnings, at growing lengths, did each prompt start?
-- grain: one row per (exchange, rung): a digest of the prompt's first rung characters
-- inputs: timing_use, exchange_text, text (view); $batches, $batch: the part of the exchanges that is looked at, since all
--   beginnings at once may not fit into memory
-- columns: cut says that the prompt goes on beyond what is known of it, or beyond the last rung; is_top marks its longest rung
-- assumptions: rungs grow by a quarter from 64 to 64,000 characters, so a common beginning is known to within a fifth.
--   Digests are chained over the pieces between rungs. Texts that the engine's template rendered begin otherwise than messages
--   do: their digests are kept apart, and two forms of one prompt are never found equal.
WITH rung AS (
    SELECT list(cast(round(64 * pow(1.25, k)) AS BIGINT) ORDER BY k) AS steps FROM range(32) AS r(k) -- noqa: AL05
),

part AS (
    SELECT
        t.exchange_id, b.field, b.fragment, left(b.text, 65536) AS text, length(b.text) > 65536 AS longer,
        coalesce(b.message_index, 0) AS message_index, b.part,
        count(*) FILTER (WHERE b.fragment != 'whole') OVER (
            PARTITION BY t.exchange_id ORDER BY coalesce(b.message_index, 0), b.part
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS cuts_before
    FROM exchange_text AS t
    INNER JOIN timing_use AS u ON u.exchange_id = t.exchange_id
    INNER JOIN text AS b ON b.record_id = t.record_id AND b.side = t.side
    WHERE t.side = 'prompt' AND b.text != '' AND hash(t.exchange_id) % $batches = $batch
),

opening AS (
    SELECT
        exchange_id, bool_or(field = 'text') AS rendered,
        bool_or(fragment != 'whole' OR longer) AS cut_short,
        string_agg(text, chr(30) ORDER BY message_index, part) AS text
    FROM part
    WHERE cuts_before = 0 AND fragment IN ('whole', 'head')
    GROUP BY exchange_id
),

known AS (
    SELECT
        o.exchange_id, o.rendered, o.cut_short OR length(o.text) > list_last(r.steps) AS cut, o.text,
        list_filter(r.steps, LAMBDA step: step <= length(o.text)) AS steps
    FROM opening AS o, rung AS r
),

piece AS (
    SELECT
        exchange_id, rendered, cut, steps,
        list_transform(steps, LAMBDA step, nth: md5(substr(text, coalesce(steps[nth - 1], 0) + 1, step - coalesce(steps[nth - 1], 0))))
            AS digests
    FROM known
)

SELECT
    p.exchange_id, p.steps[g.nth] AS step,
    md5(if(p.rendered, 'rendered', 'messages') || array_to_string(p.digests[1:g.nth], '')) AS digest,
    p.cut, g.nth = len(p.steps) AS is_top
FROM piece AS p, unnest(range(1, len(p.steps) + 1)) AS g(nth) -- noqa: AL05
ORDER BY p.exchange_id, step
