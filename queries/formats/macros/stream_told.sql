-- question: what do the chunks of a streamed answer tell besides its text?
-- grain: a macro of one value: a struct (response_id, model, created, prompt_tokens, cached_tokens, completion_tokens, finish,
--   cumulative, error_text, error_code)
-- inputs: events, a list of JSON, as stream_pieces; also SGLang's /generate
-- assumptions: the first id and model count, the largest counts of tokens, the last finish reason; texts as stream_said
CREATE OR REPLACE MACRO stream_told(events) AS {
    'response_id': list_filter(list_transform(events, lambda data: coalesce(
        data ->> 'id', data ->> '$.message.id', data ->> '$.response.id', data ->> '$.meta_info.id'
    )), lambda id: id IS NOT NULL)[1],
    'model': list_filter(list_transform(events, lambda data: coalesce(
        data ->> 'model', data ->> '$.message.model', data ->> '$.response.model'
    )), lambda model: model IS NOT NULL)[1],
    'created': list_min(list_transform(events, lambda data: coalesce(
        integer_of(json_extract(data, '$.created')), integer_of(json_extract(data, '$.response.created_at'))
    ))),
    'prompt_tokens': list_max(list_transform(events, lambda data: coalesce(
        usage_prompt(json_extract(data, '$.usage')), usage_prompt(json_extract(data, '$.message.usage')), usage_prompt(json_extract(data, '$.response.usage')),
        integer_of(json_extract(data, '$.meta_info.prompt_tokens'))
    ))),
    'cached_tokens': list_max(list_transform(events, lambda data: coalesce(
        usage_cached(json_extract(data, '$.usage')), usage_cached(json_extract(data, '$.message.usage')), usage_cached(json_extract(data, '$.response.usage')),
        integer_of(json_extract(data, '$.meta_info.cached_tokens'))
    ))),
    'completion_tokens': list_max(list_transform(events, lambda data: coalesce(
        usage_completion(json_extract(data, '$.usage')), usage_completion(json_extract(data, '$.response.usage')),
        integer_of(json_extract(data, '$.meta_info.completion_tokens'))
    ))),
    'finish': list_filter(list_transform(events, lambda data: coalesce(
        data ->> '$.choices[0].finish_reason', data ->> '$.delta.stop_reason', data ->> '$.messageStop.stopReason', data ->> '$.meta_info.finish_reason.type',
        CASE WHEN (data ->> 'type') IN ('response.completed', 'response.incomplete') THEN data ->> '$.response.status' END
    )), lambda finish: finish IS NOT NULL)[-1],
    'cumulative': stream_said(list_transform(events, lambda data: text_of(json_extract(data, '$.text')))),
    'error_text': list_aggregate(
        list_transform(events, lambda data: coalesce(data ->> '$.error.message', text_of(json_extract(data, '$.error')))), 'string_agg', '; '
    ),
    'error_code': list_max(list_transform(events, lambda data: try_cast(data ->> '$.error.code' AS INTEGER)))
}
