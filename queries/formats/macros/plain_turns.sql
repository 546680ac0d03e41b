-- question: what does each of these messages say, if all of them are nothing but a role and one text each?
-- grain: a macro of one value: a list of structs (role, content, others), NULL where a content is no text
-- inputs: messages, JSON array
-- assumptions: most logs hold such messages only, and one typed reading of all costs a fraction of message_fields for each.
--   others is NULL where a message holds nothing else that message_parts would look at
CREATE OR REPLACE MACRO plain_turns(messages) AS CASE
    WHEN list_bool_and(list_transform(json_type(messages, '$[*].content'), lambda kind: kind = 'VARCHAR')) THEN from_json(
        messages,
        '[{"role":"VARCHAR","content":"VARCHAR","reasoning_content":"JSON","reasoning":"JSON","thinking":"JSON",
          "refusal":"JSON","tool_calls":"JSON","function_call":"JSON","parts":"JSON"}]'
    )
END
