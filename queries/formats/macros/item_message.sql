-- question: which message is this item of OpenAI's Responses API?
-- grain: a macro of one value
-- inputs: item, JSON
-- assumptions: messages are messages already; reasoning, function calls and their outputs become messages of that kind
CREATE OR REPLACE MACRO item_message(item) AS CASE
    WHEN (item ->> 'type') = 'function_call' THEN cast(json_object(
        'role', 'assistant', 'tool_calls', [json_object('function', json_object('arguments', json_extract(item, '$.arguments')))]
    ) AS JSON)
    WHEN (item ->> 'type') = 'function_call_output' THEN cast(json_object('role', 'tool', 'content', json_extract(item, '$.output')) AS JSON)
    WHEN (item ->> 'type') = 'reasoning' THEN cast(json_object(
        'role', 'assistant', 'reasoning_content', nullif(concat(
            list_aggregate(json_extract_string(item, '$.summary[*].text'), 'string_agg', chr(10)),
            list_aggregate(json_extract_string(item, '$.content[*].text'), 'string_agg', chr(10))
        ), '')
    ) AS JSON)
    ELSE item
END
