-- question: are these messages nothing but a role and one text each, none of them cut, so that plain_parts tells all of them?
-- grain: a macro of one value: a boolean, NULL for no messages
-- inputs: turns, what plain_turns gave; cuts_middle, whether the format cuts strings to 1024 + 1024
-- assumptions: a message without content is not plain, nor one without text: parts_of has no part for it
CREATE OR REPLACE MACRO are_plain(turns, cuts_middle) AS list_bool_and(list_transform(
    turns,
    lambda turn: coalesce(turn.content <> '' AND NOT may_be_cut(turn.content, cuts_middle), FALSE) AND coalesce(
        turn.reasoning_content, turn.reasoning, turn.thinking, turn.refusal, turn.tool_calls, turn.function_call, turn.parts
    ) IS NULL
))
