-- question: how many tokens had the prompt, by the usage object of an answer?
-- grain: a macro of one value
-- inputs: usage, JSON
-- assumptions: Anthropic's and Bedrock's input tokens leave out what was read from or written to the prompt cache
CREATE OR REPLACE MACRO usage_prompt(usage) AS coalesce(
    integer_of(json_extract(usage, '$.prompt_tokens')),
    try(
        coalesce(integer_of(json_extract(usage, '$.input_tokens')), integer_of(json_extract(usage, '$.inputTokens')))
        + coalesce(integer_of(json_extract(usage, '$.cache_read_input_tokens')), integer_of(json_extract(usage, '$.cacheReadInputTokens')), 0)
        + coalesce(integer_of(json_extract(usage, '$.cache_creation_input_tokens')), integer_of(json_extract(usage, '$.cacheWriteInputTokens')), 0)
    )
)
