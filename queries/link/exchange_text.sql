-- question: Which record's text stands for an exchange's prompt and response, and how complete is it?
-- grain: one row per (exchange, side); no row where no record holds any text of that side
-- inputs: exchange_record, record
-- assumptions: the more complete text wins, then the gateway's over a client's over the engine's, then the record id.
WITH held AS (
    SELECT er.exchange_id, er.record_id, er.inferred, 'prompt' AS side, r.prompt_state AS state, r.kind, r.format, r.prompt_chars AS chars
    FROM exchange_record AS er
    INNER JOIN record AS r ON r.record_id = er.record_id
    UNION ALL
    SELECT er.exchange_id, er.record_id, er.inferred, 'response', r.response_state, r.kind, r.format, r.response_chars
    FROM exchange_record AS er
    INNER JOIN record AS r ON r.record_id = er.record_id
)

SELECT exchange_id, side, record_id, state, inferred
FROM held
WHERE state IN ('complete', 'truncated') AND coalesce(chars, 0) > 0
QUALIFY row_number() OVER (
    PARTITION BY exchange_id, side
    ORDER BY
        state != 'complete', inferred,
        CASE WHEN format LIKE 'litellm%' THEN 0 WHEN kind = 'client' THEN 1 WHEN kind = 'openai' THEN 2 ELSE 3 END,
        chars DESC, record_id
) = 1
ORDER BY exchange_id, side
