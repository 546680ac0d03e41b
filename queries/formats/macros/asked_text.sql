-- question: which text does a request body send where it has no messages?
-- grain: a macro of one value
-- inputs: body, JSON: OpenAI completions, SGLang /generate, Amazon Titan
-- assumptions: a list of several prompts is no single request, and gives NULL; prompts that are token ids are no text
CREATE OR REPLACE MACRO asked_text(body) AS coalesce(
    text_of(json_extract(body, '$.prompt')),
    CASE WHEN json_array_length(json_extract(body, '$.prompt')) = 1 THEN text_of(json_extract(body, '$.prompt[0]')) END,
    text_of(json_extract(body, '$.text')), text_of(json_extract(body, '$.inputText'))
)
