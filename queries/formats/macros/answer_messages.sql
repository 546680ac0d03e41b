-- question: which messages does an answer's body hold?
-- grain: a macro of one value: a JSON array, NULL where the body has none
-- inputs: body, JSON: OpenAI chat, completions or Responses, Anthropic Messages, Bedrock Converse, Amazon Titan
-- assumptions: every choice counts, in order
CREATE OR REPLACE MACRO answer_messages(body) AS CASE
    WHEN (json_extract(body, '$.choices[0].message')) IS NOT NULL THEN to_json(json_extract(body, '$.choices[*].message'))
    WHEN json_type(json_extract(body, '$.choices[0].text')) = 'VARCHAR' THEN to_json(list_transform(
        json_extract(body, '$.choices[*].text'), lambda text: cast(json_object('role', 'assistant', 'content', text) AS JSON)
    ))
    WHEN json_type(json_extract(body, '$.content')) = 'ARRAY' AND (body ->> 'role') = 'assistant' THEN json_array(body)
    WHEN (json_extract(body, '$.output.message')) IS NOT NULL THEN json_array(json_extract(body, '$.output.message'))
    WHEN json_type(json_extract(body, '$.output')) = 'ARRAY'
        THEN to_json(list_transform(json_extract(body, '$.output[*]'), lambda item: item_message(item)))
    WHEN json_type(json_extract(body, '$.results[0].outputText')) = 'VARCHAR' THEN to_json(list_transform(
        json_extract(body, '$.results[*].outputText'), lambda text: cast(json_object('role', 'assistant', 'content', text) AS JSON)
    ))
END
