-- question: What do the responses, or the prompts, of exchanges that ran beside one another say?
-- grain: one row per (exchange, part) of one side
-- inputs: exchange_text, beside, text (view); $side
-- assumptions: of a long prompt's part, beginning and end say what it is about.
SELECT
    t.exchange_id,
    CASE WHEN length(b.text) <= 32768 THEN b.text ELSE left(b.text, 16384) || ' ' || right(b.text, 16384) END AS text
FROM exchange_text AS t
INNER JOIN text AS b ON b.record_id = t.record_id AND b.side = t.side
WHERE
    t.side = $side
    AND length(b.text) > 0
    AND (
        t.exchange_id IN (SELECT exchange_id FROM beside)
        OR ($side = 'prompt' AND t.exchange_id IN (SELECT neighbour_id FROM beside))
    )
