-- question: which data do the events of this text of server-sent events carry, in order?
-- grain: a macro of one value: a list of text
-- inputs: body, text
-- assumptions: as sse_events
CREATE OR REPLACE MACRO sse_data(body) AS list_filter(
    list_transform(
        string_split_regex(body, '(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)'),
        lambda block: list_aggregate(regexp_extract_all(block, '(?m)^data: ?([^\r\n]*)', 1), 'string_agg', chr(10))
    ),
    lambda one: one IS NOT NULL
)
