-- question: what does one message hold, taken out in a single pass over its JSON?
-- grain: a macro of one value: a list of JSON: role, content, reasoning (three spellings), refusal, tool calls, the old
--   function call's arguments, OTel's parts
-- inputs: body, JSON of one message of OpenAI's or OTel GenAI's kind
-- assumptions: each extraction reads the whole message, so all are made at once
CREATE OR REPLACE MACRO message_fields(body) AS json_extract(
    body,
    [
        '$.role', '$.content', '$.reasoning_content', '$.reasoning', '$.thinking', '$.refusal', '$.tool_calls',
        '$.function_call.arguments', '$.parts'
    ]
)
