-- question: which pieces of the answer do these chunks bring, in order?
-- grain: a macro of one value: a list of structs (slot, content, reasoning, refusal, tools, finish)
-- inputs: events, a list of JSON: chunks of OpenAI's chat, completions and Responses, Anthropic's Messages, Bedrock's models
-- assumptions: slot is the choice, for Anthropic the content block, for Responses the output item; pieces of one slot join
CREATE OR REPLACE MACRO stream_pieces(events) AS flatten(list_transform(
    events,
    lambda data: list_concat(
        list_transform(
            json_extract(data, '$.choices[*]'),
            lambda one: {
                'slot': coalesce(try_cast(one ->> 'index' AS INTEGER), 0),
                'content': coalesce(text_of(json_extract(one, '$.delta.content')), text_of(json_extract(one, '$.message.content')), text_of(json_extract(one, '$.text'))),
                'reasoning': coalesce(
                    text_of(json_extract(one, '$.delta.reasoning_content')), text_of(json_extract(one, '$.delta.reasoning')),
                    text_of(json_extract(one, '$.message.reasoning_content'))
                ),
                'refusal': text_of(json_extract(one, '$.delta.refusal')),
                'tools': coalesce(json_extract(one, '$.delta.tool_calls'), json_extract(one, '$.message.tool_calls')),
                'finish': one ->> 'finish_reason'
            }
        ),
        CASE
            WHEN (data ->> 'type') IN ('content_block_delta', 'content_block_start', 'message_delta') THEN [{
                'slot': coalesce(try_cast(data ->> 'index' AS INTEGER), 0),
                'content': coalesce(text_of(json_extract(data, '$.delta.text')), text_of(json_extract(data, '$.content_block.text'))),
                'reasoning': coalesce(text_of(json_extract(data, '$.delta.thinking')), text_of(json_extract(data, '$.content_block.thinking'))),
                'refusal': NULL,
                'tools': CASE
                    WHEN (json_extract(data, '$.delta.partial_json')) IS NOT NULL THEN json_array(
                        json_object('index', 0, 'function', json_object('arguments', json_extract(data, '$.delta.partial_json')))
                    )
                END,
                'finish': data ->> '$.delta.stop_reason'
            }]
            WHEN regexp_matches(data ->> 'type', '^response\.(output_text|refusal|reasoning.*|function_call_arguments)\.delta$') THEN [{
                'slot': coalesce(try_cast(data ->> 'output_index' AS INTEGER), 0),
                'content': CASE WHEN (data ->> 'type') = 'response.output_text.delta' THEN text_of(json_extract(data, '$.delta')) END,
                'reasoning': CASE WHEN (data ->> 'type') LIKE 'response.reasoning%' THEN text_of(json_extract(data, '$.delta')) END,
                'refusal': CASE WHEN (data ->> 'type') = 'response.refusal.delta' THEN text_of(json_extract(data, '$.delta')) END,
                'tools': CASE
                    WHEN (data ->> 'type') = 'response.function_call_arguments.delta' THEN json_array(
                        json_object('index', 0, 'function', json_object('arguments', json_extract(data, '$.delta')))
                    )
                END,
                'finish': NULL
            }]
            WHEN coalesce(text_of(json_extract(data, '$.contentBlockDelta.delta.text')), text_of(json_extract(data, '$.generation')), text_of(json_extract(data, '$.outputText')))
                IS NOT NULL OR (json_extract(data, '$.messageStop')) IS NOT NULL THEN [{
                'slot': 0,
                'content': coalesce(
                    text_of(json_extract(data, '$.contentBlockDelta.delta.text')), text_of(json_extract(data, '$.generation')), text_of(json_extract(data, '$.outputText'))
                ),
                'reasoning': NULL, 'refusal': NULL, 'tools': NULL,
                'finish': coalesce(data ->> '$.messageStop.stopReason', data ->> 'stop_reason', data ->> 'completionReason')
            }]
            ELSE []
        END
    )
))
