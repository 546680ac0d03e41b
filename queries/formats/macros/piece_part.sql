-- question: which part of text is this piece of a message?
-- grain: a macro of one value: a struct (message_index, role, field, text)
-- inputs: piece, what piece_fields gave; turn, the message's index; speaker, its role
-- assumptions: OpenAI's, Anthropic's, Bedrock Converse's and OTel GenAI's kinds of pieces; images and audio have no text
CREATE OR REPLACE MACRO piece_part(piece, turn, speaker) AS {
    'message_index': turn,
    'role': speaker,
    'field': CASE
        WHEN (piece[1] ->> '$') IN ('thinking', 'reasoning') OR piece[12] IS NOT NULL THEN 'reasoning'
        WHEN (piece[1] ->> '$') IN ('tool_call', 'tool_use', 'function_call') OR piece[13] IS NOT NULL THEN 'tool_arguments'
        WHEN (piece[1] ->> '$') IN ('tool_call_response', 'tool_result', 'function_call_output') OR piece[14] IS NOT NULL
            THEN 'tool_result'
        WHEN speaker IN ('tool', 'function') THEN 'tool_result'
        ELSE 'content'
    END,
    'text': CASE
        WHEN json_type(piece[15]) = 'VARCHAR' THEN piece[15] ->> '$'
        WHEN (piece[1] ->> '$') IN ('tool_call', 'tool_use', 'function_call') THEN coalesce(piece[7] ->> '$', piece[8] ->> '$')
        WHEN (piece[1] ->> '$') IN ('tool_call_response', 'tool_result', 'function_call_output')
            THEN coalesce(piece[9] ->> '$', piece[10] ->> '$', piece[3] ->> '$', piece[11] ->> '$')
        WHEN piece[13] IS NOT NULL OR piece[14] IS NOT NULL THEN coalesce(piece[13], piece[14]) ->> '$'
        ELSE coalesce(text_of(piece[12]), text_of(piece[2]), text_of(piece[3]), text_of(piece[4]), text_of(piece[5]), text_of(piece[6]))
    END
}
