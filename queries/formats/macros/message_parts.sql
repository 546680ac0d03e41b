-- question: which parts of text does one message hold, in order?
-- grain: a macro of one value: a list of structs (message_index, role, field, text), text NULL where the message lacks it
-- inputs: fields, what message_fields gave; turn, the message's index; speaker, its role
-- assumptions: reasoning stands before the content, tool calls after it. Names of tools are not kept
CREATE OR REPLACE MACRO message_parts(fields, turn, speaker) AS list_concat(
    [
        {
            'message_index': turn, 'role': speaker, 'field': 'reasoning',
            'text': coalesce(text_of(fields[3]), text_of(fields[4]), text_of(fields[5]))
        },
        {
            'message_index': turn, 'role': speaker,
            'field': CASE WHEN speaker IN ('tool', 'function') THEN 'tool_result' ELSE 'content' END,
            'text': text_of(fields[2])
        }
    ],
    list_transform(
        list_transform(
            list_concat(json_extract(fields[2], '$[*]'), json_extract(fields[9], '$[*]')), lambda piece: piece_fields(piece)
        ),
        lambda piece: piece_part(piece, turn, speaker)
    ),
    [{'message_index': turn, 'role': speaker, 'field': 'content', 'text': text_of(fields[6])}],
    list_transform(
        json_extract(fields[7], '$[*].function.arguments'),
        lambda arguments: {'message_index': turn, 'role': speaker, 'field': 'tool_arguments', 'text': arguments ->> '$'}
    ),
    [{'message_index': turn, 'role': speaker, 'field': 'tool_arguments', 'text': fields[8] ->> '$'}]
)
