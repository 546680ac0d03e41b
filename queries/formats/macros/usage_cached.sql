-- question: how many of the prompt's tokens came from a cache, by the usage object of an answer?
-- grain: a macro of one value
-- inputs: usage, JSON
-- assumptions: none
CREATE OR REPLACE MACRO usage_cached(usage) AS coalesce(
    integer_of(json_extract(usage, '$.prompt_tokens_details.cached_tokens')), integer_of(json_extract(usage, '$.input_tokens_details.cached_tokens')),
    integer_of(json_extract(usage, '$.cache_read_input_tokens')), integer_of(json_extract(usage, '$.cacheReadInputTokens'))
)
