-- question: which tool calls do these deltas make?
-- grain: a macro of one value: a list of JSON, NULL without any
-- inputs: deltas, a list of JSON, in order
-- assumptions: a delta without an index belongs to the first tool
CREATE OR REPLACE MACRO stream_tools(deltas) AS CASE
    WHEN len(deltas) > 0 THEN list_transform(
        list_sort(list_distinct(list_transform(deltas, lambda one: coalesce(try_cast(one ->> 'index' AS INTEGER), 0)))),
        lambda tool: cast(json_object('function', json_object('arguments', list_aggregate(
            list_transform(
                list_filter(deltas, lambda one: coalesce(try_cast(one ->> 'index' AS INTEGER), 0) = tool),
                lambda one: one ->> '$.function.arguments'
            ),
            'string_agg', ''
        ))) AS JSON)
    )
END
