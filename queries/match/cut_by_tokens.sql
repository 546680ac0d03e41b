-- question: Which texts that pass for complete are too short for the tokens that were counted of them?
-- grain: one row per (exchange, side)
-- inputs: exchange, exchange_text, record, text (view)
-- assumptions: a token of ordinary text holds three to four bytes of UTF-8 in any script, and of the densest (figures, keys)
--   hardly less than one and a quarter; so a text has at least 1.25 characters for each token in Latin script, 0.63 in
--   Cyrillic or Arabic, 0.42 in Chinese, Japanese, Hindi or Thai. 64 tokens, and 16 for each message, are the template's. Of
--   calls that broke the client's side counts no tokens of its own, so they are not measured.
-- false positives: a prompt that is mostly images, audio or tool definitions, of which logs keep no text; what it held is
--   indeed not there to be searched.
WITH counted AS (
    SELECT
        t.exchange_id, t.side, t.record_id,
        CASE t.side WHEN 'prompt' THEN x.prompt_tokens ELSE x.completion_tokens END AS tokens,
        CASE t.side WHEN 'prompt' THEN r.prompt_chars ELSE r.response_chars END AS characters
    FROM exchange_text AS t
    INNER JOIN exchange AS x ON x.exchange_id = t.exchange_id
    INNER JOIN record AS r ON r.record_id = t.record_id
    WHERE t.state = 'complete' AND (coalesce(x.client_outcome, 'ok') = 'ok' OR (t.side = 'prompt' AND x.tokens_by = 'engine'))
),

-- bytes are no fewer than characters, so only these texts need to be read
short AS (
    SELECT * FROM counted WHERE characters * 4 < (tokens - 64) * 5
),

measured AS (
    SELECT s.exchange_id, s.side, any_value(s.tokens) AS tokens, sum(strlen(b.text)) AS bytes, count(DISTINCT b.message_index) AS messages
    FROM short AS s
    INNER JOIN text AS b ON b.record_id = s.record_id AND b.side = s.side
    WHERE
        b.file_id IN (SELECT split_part(record_id, ':', 1) FROM short)
        AND b.byte_offset IN (SELECT try_cast(split_part(record_id, ':', 2) AS BIGINT) FROM short)
    GROUP BY s.exchange_id, s.side
)

SELECT exchange_id, side, tokens, bytes::BIGINT AS bytes
FROM measured
WHERE bytes * 4 < (tokens - 64 - 16 * messages) * 5
ORDER BY exchange_id, side
