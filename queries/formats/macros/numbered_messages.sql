-- question: which messages do attributes with numbered names tell, as gen_ai.prompt.0.content or
--   llm.input_messages.0.message.content?
-- grain: a macro of one value: a JSON array, NULL without any
-- inputs: held, JSON object of attributes; names, its names; prefix, what stands before the number
-- assumptions: Traceloop's and OpenInference's spellings; a message's pieces, reasoning and tool arguments are joined to it
CREATE OR REPLACE MACRO numbered_messages(held, names, prefix) AS to_json(nullif(list_transform(
    list_sort(list_distinct(list_filter(
        list_transform(names, lambda name: try_cast(regexp_extract(name, '^' || prefix || '\.(\d+)\.', 1) AS INTEGER)),
        lambda place: place IS NOT NULL
    ))),
    lambda place: json_object(
        'role', coalesce(
            json_extract(held, '$."' || prefix || '.' || place || '.role"'),
            json_extract(held, '$."' || prefix || '.' || place || '.message.role"')
        ),
        'content', coalesce(
            json_extract(held, '$."' || prefix || '.' || place || '.content"'),
            json_extract(held, '$."' || prefix || '.' || place || '.message.content"'),
            to_json(nullif(list_transform(
                list_sort(list_filter(
                    names, lambda name: regexp_matches(name, '^' || prefix || '\.' || place || '\..*contents\.\d+\..*text$')
                )),
                lambda name: json_object('type', 'text', 'text', json_extract(held, '$."' || name || '"'))
            ), []))
        ),
        'tool_calls', list_transform(
            list_sort(list_filter(
                names, lambda name: regexp_matches(name, '^' || prefix || '\.' || place || '\..*tool_calls\.\d+\..*arguments$')
            )),
            lambda name: json_object('function', json_object('arguments', json_extract(held, '$."' || name || '"')))
        )
    )
), []))
