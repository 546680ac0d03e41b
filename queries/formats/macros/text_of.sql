-- question: which text does this JSON value hold, if it is one?
-- grain: a macro of one value
-- inputs: held, JSON
-- assumptions: only strings are text; a number or list here would be no message
CREATE OR REPLACE MACRO text_of(held) AS CASE json_type(held) WHEN 'VARCHAR' THEN held ->> '$' END
