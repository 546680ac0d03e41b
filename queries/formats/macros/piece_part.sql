-- question: which part of text is this piece of a message (an element of content or parts)?
-- grain: a macro of one value: a struct (message_index, role, field, text)
-- inputs: piece, JSON; turn, the message's index; speaker, its role
-- assumptions: OpenAI's, Anthropic's and OTel GenAI's kinds of pieces; images and audio have no text
CREATE OR REPLACE MACRO piece_part(piece, turn, speaker) AS {
    'message_index': turn,
    'role': speaker,
    'field': CASE
        WHEN (piece ->> 'type') IN ('thinking', 'reasoning') THEN 'reasoning'
        WHEN (piece ->> 'type') IN ('tool_call', 'tool_use', 'function_call') THEN 'tool_arguments'
        WHEN (piece ->> 'type') IN ('tool_call_response', 'tool_result', 'function_call_output') THEN 'tool_result'
        WHEN speaker IN ('tool', 'function') THEN 'tool_result'
        ELSE 'content'
    END,
    'text': CASE
        WHEN json_type(piece) = 'VARCHAR' THEN piece ->> '$'
        WHEN (piece ->> 'type') IN ('tool_call', 'tool_use', 'function_call')
            THEN coalesce(piece ->> 'arguments', piece ->> 'input')
        WHEN (piece ->> 'type') IN ('tool_call_response', 'tool_result', 'function_call_output')
            THEN coalesce(piece ->> 'response', piece ->> 'result', piece ->> 'content', piece ->> 'output')
        ELSE coalesce(
            text_of(piece -> 'text'), text_of(piece -> 'content'), text_of(piece -> 'reasoning'), text_of(piece -> 'thinking'),
            text_of(piece -> 'refusal')
        )
    END
}
