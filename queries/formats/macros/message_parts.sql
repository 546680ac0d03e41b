-- question: which parts of text does one message hold, in order?
-- grain: a macro of one value: a list of structs (message_index, role, field, text), text NULL where the message lacks it
-- inputs: body, JSON of one message of OpenAI's or OTel GenAI's kind; turn, its index; speaker, its role
-- assumptions: reasoning stands before the content, tool calls after it. Names of tools are not kept
CREATE OR REPLACE MACRO message_parts(body, turn, speaker) AS list_concat(
    [
        {
            'message_index': turn, 'role': speaker, 'field': 'reasoning',
            'text': coalesce(text_of(body -> 'reasoning_content'), text_of(body -> 'reasoning'), text_of(body -> 'thinking'))
        },
        {
            'message_index': turn, 'role': speaker,
            'field': CASE WHEN speaker IN ('tool', 'function') THEN 'tool_result' ELSE 'content' END,
            'text': text_of(body -> 'content')
        }
    ],
    list_transform(
        list_concat(json_extract(body, '$.content[*]'), json_extract(body, '$.parts[*]')),
        lambda piece: piece_part(piece, turn, speaker)
    ),
    [{'message_index': turn, 'role': speaker, 'field': 'content', 'text': text_of(body -> 'refusal')}],
    list_transform(
        json_extract(body, '$.tool_calls[*]'),
        lambda call: {
            'message_index': turn, 'role': speaker, 'field': 'tool_arguments', 'text': call ->> '$.function.arguments'
        }
    ),
    [{'message_index': turn, 'role': speaker, 'field': 'tool_arguments', 'text': body ->> '$.function_call.arguments'}]
)
