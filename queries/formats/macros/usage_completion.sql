-- question: how many tokens had the answer, by its usage object?
-- grain: a macro of one value
-- inputs: usage, JSON
-- assumptions: none
CREATE OR REPLACE MACRO usage_completion(usage) AS coalesce(
    integer_of(json_extract(usage, '$.completion_tokens')), integer_of(json_extract(usage, '$.output_tokens')), integer_of(json_extract(usage, '$.outputTokens'))
)
