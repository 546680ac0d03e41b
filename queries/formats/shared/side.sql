-- question: which parts of text does each side of these records hold, in order, and what state are they in?
-- grain: one row per side (prompt, response) of a row of the format's query
-- inputs: canonical, projected (what the format's query gave)
-- assumptions: text that a gateway replaced by redacted-by-litellm is no text. A rendered prompt (chat template applied) has no
--   messages and no hash; nor has one that is not complete
WITH given AS (
    SELECT * FROM canonical
    UNION ALL BY NAME
    SELECT * FROM projected
),
sides AS (
    SELECT byte_offset, item, 'prompt' AS side, prompt_messages AS messages, prompt_text AS whole, prompt_tail AS tail,
           prompt_state AS state, cuts_middle, reject_reason
    FROM given
    UNION ALL
    SELECT byte_offset, item, 'response', response_messages, response_text, response_tail, response_state, cuts_middle,
           reject_reason
    FROM given
),
turned AS (
    SELECT *, plain_turns(messages) AS turns FROM sides
),
parted AS (
    -- Nearly all sides are plain messages or one text; each way of telling parts copies the texts, so the shortest is taken.
    SELECT byte_offset, item, side, messages, whole IS NOT NULL AS has_whole, state, reject_reason,
           CASE
               WHEN whole IS NULL AND tail IS NULL AND are_plain(turns, cuts_middle) THEN plain_parts(turns)
               WHEN messages IS NULL AND tail IS NULL AND NOT coalesce(may_be_cut(whole, cuts_middle), FALSE)
                   THEN CASE
                       WHEN whole <> '' THEN [
                           {'message_index': 0, 'role': NULL, 'field': 'text', 'fragment': 'whole', 'text': whole}
                       ]
                   END
               ELSE parts_of(messages, whole, tail, cuts_middle)
           END AS parts
    FROM turned
),
marked AS (
    SELECT *,
           CASE WHEN len(parts) > 0 THEN TRUE ELSE json_array_length(messages) > 0 END AS has_messages,
           list_bool_or(list_transform(parts, LAMBDA part: part.fragment <> 'whole')) AS cut,
           list_bool_or(list_transform(parts, LAMBDA part: part.text = 'redacted-by-litellm')) AS redacted
    FROM parted
)
SELECT
    byte_offset, item, side, reject_reason,
    CASE
        WHEN redacted THEN list_filter(parts, LAMBDA part: part.text <> 'redacted-by-litellm') ELSE parts
    END AS parts,
    CASE
        WHEN state = 'encrypted' THEN 'encrypted'
        WHEN redacted THEN 'redacted'
        WHEN cut THEN 'truncated'
        WHEN state IS NOT NULL THEN state
        WHEN has_messages OR CASE side WHEN 'prompt' THEN len(parts) > 0 ELSE has_whole END THEN 'complete'
        ELSE 'absent'
    END AS state,
    CASE
        WHEN side = 'prompt' AND NOT coalesce(cut OR redacted, FALSE) AND state IS NULL THEN prompt_hash_of(parts)
    END AS hash,
    cast(coalesce(
        list_sum(list_transform(
            CASE WHEN redacted THEN list_filter(parts, LAMBDA part: part.text <> 'redacted-by-litellm') ELSE parts END,
            LAMBDA part: length(part.text)
        )),
        CASE WHEN side = 'response' AND (has_whole OR has_messages) THEN 0 END
    ) AS BIGINT) AS chars
FROM marked
