-- question: which messages do a span's events tell?
-- grain: a macro of one value: a JSON array, NULL without any
-- inputs: events, a list of JSON: name, attributes; answers, whether those of the answer are wanted, or those of the prompt
-- assumptions: the events of the GenAI conventions up to 1.36: gen_ai.<role>.message and gen_ai.choice, whose attributes hold content
CREATE OR REPLACE MACRO event_messages(events, answers) AS to_json(nullif(list_transform(
    list_filter(
        events,
        lambda event: CASE
            WHEN answers THEN (event ->> 'name') = 'gen_ai.choice'
            ELSE regexp_full_match(event ->> 'name', 'gen_ai\.(system|user|assistant|tool)\.message')
        END
    ),
    lambda event: coalesce(
        json_of(json_extract(event, '$.attributes.message')),
        json_object(
            'role', CASE WHEN answers THEN 'assistant' ELSE regexp_extract(event ->> 'name', 'gen_ai\.(\w+)\.message', 1) END,
            'content', json_extract(event, '$.attributes.content'),
            'tool_calls', json_of(json_extract(event, '$.attributes.tool_calls'))
        )
    )
), []))
