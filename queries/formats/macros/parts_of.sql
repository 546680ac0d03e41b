-- question: which parts of text does one side of a record hold, in order?
-- grain: a macro of one value: a list of structs (message_index, role, field, fragment, text) without empty ones
-- inputs: messages, JSON array; whole, a text without messages; tail, its end where its middle is missing; cuts_middle
-- assumptions: see message_parts and part_halves
CREATE OR REPLACE MACRO parts_of(messages, whole, tail, cuts_middle) AS list_filter(
    flatten(list_transform(
        list_concat(
            flatten(list_transform(
                list_transform(json_extract(messages, '$[*]'), lambda body: message_fields(body)),
                lambda fields, place: message_parts(fields, place - 1, lower(fields[1] ->> '$'))
            )),
            CASE
                WHEN tail IS NULL THEN [{'message_index': 0, 'role': NULL, 'field': 'text', 'text': whole}]
            END
        ),
        lambda part: part_halves(part, cuts_middle)
    ))
    || CASE
        WHEN tail IS NOT NULL THEN [
            {'message_index': 0, 'role': NULL, 'field': 'text', 'fragment': 'head', 'text': whole},
            {'message_index': 0, 'role': NULL, 'field': 'text', 'fragment': 'tail', 'text': tail}
        ]
        ELSE []
    END,
    lambda part: part.text <> ''
)
