-- question: which messages does a request body send, the system prompt first?
-- grain: a macro of one value: a JSON array, NULL where the body has none
-- inputs: body, JSON: OpenAI chat, OpenAI Responses, Anthropic Messages or Bedrock Converse
-- assumptions: a system prompt beside the messages (Anthropic, Converse, Responses' instructions) is the first message
CREATE OR REPLACE MACRO asked_messages(body) AS CASE
    WHEN json_type(json_extract(body, '$.messages')) = 'ARRAY' OR json_type(json_extract(body, '$.input')) = 'ARRAY' THEN to_json(list_concat(
        CASE
            WHEN json_type(coalesce(json_extract(body, '$.system'), json_extract(body, '$.instructions'))) = 'VARCHAR'
                OR json_array_length(coalesce(json_extract(body, '$.system'), json_extract(body, '$.instructions'))) > 0
                THEN [cast(json_object('role', 'system', 'content', coalesce(json_extract(body, '$.system'), json_extract(body, '$.instructions'))) AS JSON)]
            ELSE []
        END,
        CASE
            WHEN json_type(json_extract(body, '$.messages')) = 'ARRAY' THEN json_extract(body, '$.messages[*]')
            ELSE list_transform(json_extract(body, '$.input[*]'), lambda item: item_message(item))
        END
    ))
    WHEN json_type(json_extract(body, '$.input')) = 'VARCHAR' THEN to_json(list_concat(
        CASE
            WHEN json_type(json_extract(body, '$.instructions')) = 'VARCHAR'
                THEN [cast(json_object('role', 'system', 'content', json_extract(body, '$.instructions')) AS JSON)]
            ELSE []
        END,
        [cast(json_object('role', 'user', 'content', json_extract(body, '$.input')) AS JSON)]
    ))
END
