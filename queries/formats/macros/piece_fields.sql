-- question: what does one piece of a message (an element of content or parts) hold, taken out in a single pass?
-- grain: a macro of one value: a list of JSON: type, text, content, reasoning, thinking, refusal, a tool call's arguments
--   and input, a tool response's response, result and output, Converse's reasoning, tool use and tool result, the piece itself
-- inputs: piece, JSON
-- assumptions: as message_fields
CREATE OR REPLACE MACRO piece_fields(piece) AS list_append(
    json_extract(
        piece,
        [
            '$.type', '$.text', '$.content', '$.reasoning', '$.thinking', '$.refusal', '$.arguments', '$.input', '$.response',
            '$.result', '$.output', '$.reasoningContent.reasoningText.text', '$.toolUse.input', '$.toolResult.content'
        ]
    ),
    piece
)
