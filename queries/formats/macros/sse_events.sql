-- question: which chunks does this text of server-sent events hold?
-- grain: a macro of one value: a list of JSON, [DONE] and comments left out
-- inputs: body, text
-- assumptions: a blank line ends an event; data: lines of one event are joined by newlines. An event that is no JSON, as one
--   that was cut, is left out: sse_whole says whether there was any
CREATE OR REPLACE MACRO sse_events(body) AS list_transform(
    list_filter(sse_data(body), lambda one: json_valid(one)), lambda one: cast(one AS JSON)
)
