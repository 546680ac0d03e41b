-- question: which JSON value does this one hold, where a store keeps JSON as text, or text within text?
-- grain: a macro of one value
-- inputs: held, JSON
-- assumptions: only text that begins as an object, a list or a quoted text is taken apart; a customer's "42" stays text
CREATE OR REPLACE MACRO json_of(held) AS CASE
    WHEN json_type(held) = 'VARCHAR' AND regexp_matches(held ->> '$', '^\s*[\[{"]') AND json_valid(held ->> '$') THEN CASE
        WHEN json_type(cast(held ->> '$' AS JSON)) = 'VARCHAR'
            AND regexp_matches(cast(held ->> '$' AS JSON) ->> '$', '^\s*[\[{]') AND json_valid(cast(held ->> '$' AS JSON) ->> '$')
            THEN cast(cast(held ->> '$' AS JSON) ->> '$' AS JSON)
        ELSE cast(held ->> '$' AS JSON)
    END
    ELSE held
END
