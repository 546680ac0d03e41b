-- question: which message do the pieces of one choice make?
-- grain: a macro of one value: JSON
-- inputs: mine, the pieces of one choice, in order
-- assumptions: as stream_messages
CREATE OR REPLACE MACRO stream_message(mine) AS cast(json_object(
    'role', 'assistant',
    'reasoning_content', list_aggregate(list_transform(mine, lambda piece: piece.reasoning), 'string_agg', ''),
    'content', list_aggregate(list_transform(mine, lambda piece: piece.content), 'string_agg', ''),
    'refusal', list_aggregate(list_transform(mine, lambda piece: piece.refusal), 'string_agg', ''),
    'tool_calls', stream_tools(flatten(list_transform(mine, lambda piece: json_extract(piece.tools, '$[*]'))))
) AS JSON)
