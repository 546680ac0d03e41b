-- question: Which responses answer the question of an exchange that ran beside them?
-- grain: one row per exchange
-- inputs: exchange, exchange_text, answer_fit
-- mechanism: answer_mismatch
-- order: 90
-- sources: named
-- requires: prompt texts, response texts
-- needs: complete prompts and responses of what ran at the same time
-- establishes: nothing: that an answer fits another question is no record of how it came there
-- possible: a response that shares three times as much with the prompt of an exchange beside it than with its own, and 20 bits
--   more, by the rarity of the words that only one of the two prompts has; whether it holds that exchange's text, alignment decides.
-- excludes: a complete response, with its own prompt complete, that fits no prompt beside it so much better. Where either is
--   missing or cut, it is not examined.
-- assumptions: answers are mistaken for one another while both are under way (match/beside); of long prompts beginning and end
--   are compared.
-- false positives: two tenants that ask about one public matter, of whom one is answered in words of the other's question. A
--   complete scan clears those.
SELECT
    x.exchange_id,
    CASE
        WHEN f.neighbour_exchange_id IS NOT NULL THEN 'possible'
        WHEN f.exchange_id IS NOT NULL THEN 'excluded'
        ELSE 'not_examined'
    END AS status,
    CASE
        WHEN f.neighbour_exchange_id IS NOT NULL THEN 'mechanism_possible'
        WHEN f.exchange_id IS NOT NULL OR x.delivered = 'no' THEN NULL
        WHEN r.state IS NULL THEN 'response_missing'
        WHEN r.state != 'complete' THEN 'response_truncated'
        WHEN p.state IS NULL THEN 'prompt_missing'
        WHEN p.state != 'complete' THEN 'prompt_truncated'
    END AS reason,
    'text' AS basis,
    CASE
        WHEN f.neighbour_exchange_id IS NOT NULL
            THEN 'it fits the prompt of an exchange beside it by ' || f.neighbour_milli // 1000 || ' bits, its own by '
            || f.own_milli // 1000
        WHEN f.exchange_id IS NOT NULL THEN 'it fits no prompt beside it far better than its own'
        WHEN x.delivered = 'no' THEN 'nothing was delivered'
        ELSE 'its response was not compared with its prompt'
    END AS detail,
    f.neighbour_exchange_id AS trigger_exchange_id,
    f.neighbour_exchange_id IS NOT NULL AS clearable,
    CASE
        WHEN f.neighbour_exchange_id IS NOT NULL
            THEN [{'exchange_id': f.neighbour_exchange_id, 'placement': 'fits', 'last_ns': o.received_ns}]
    END AS named
FROM exchange AS x
LEFT JOIN answer_fit AS f ON f.exchange_id = x.exchange_id
LEFT JOIN exchange AS o ON o.exchange_id = f.neighbour_exchange_id
LEFT JOIN exchange_text AS p ON p.exchange_id = x.exchange_id AND p.side = 'prompt'
LEFT JOIN exchange_text AS r ON r.exchange_id = x.exchange_id AND r.side = 'response'
ORDER BY x.exchange_id
