-- question: which parts of text do plain messages hold, in order?
-- grain: a macro of one value: a list of structs (message_index, role, field, fragment, text), as parts_of gives them
-- inputs: turns, what plain_turns gave, all of them plain
-- assumptions: see message_parts
CREATE OR REPLACE MACRO plain_parts(turns) AS list_transform(
    turns,
    lambda turn, place: {
        'message_index': place - 1, 'role': lower(turn.role),
        'field': CASE WHEN lower(turn.role) IN ('tool', 'function') THEN 'tool_result' ELSE 'content' END,
        'fragment': 'whole', 'text': turn.content
    }
)
