-- question: which hash do equal messages share, whatever format told them?
-- grain: a macro of one value: SHA-256 in hex, NULL without messages
-- inputs: messages, JSON array
-- assumptions: a message counts as (role, text), its text being content and tool results joined in order. Reasoning, tool
--   arguments, images and names are left out, since formats spell them differently. Separators are the control
--   characters RS and US
CREATE OR REPLACE MACRO prompt_hash_of(messages) AS CASE
    WHEN json_array_length(messages) > 0 THEN sha256(array_to_string(
        list_transform(
            json_extract(messages, '$[*]'),
            lambda body, place: coalesce(lower(body ->> 'role'), '') || chr(31) || array_to_string(
                list_transform(
                    list_filter(
                        message_parts(body, place, lower(body ->> 'role')),
                        lambda part: part.field IN ('content', 'tool_result') AND part.text IS NOT NULL
                    ),
                    lambda part: part.text
                ),
                ''
            )
        ),
        chr(30)
    ))
END
