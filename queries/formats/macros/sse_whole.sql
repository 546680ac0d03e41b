-- question: could every event of this text of server-sent events be read?
-- grain: a macro of one value
-- inputs: body, text
-- assumptions: as sse_events
CREATE OR REPLACE MACRO sse_whole(body) AS
len(list_filter(sse_data(body), lambda one: NOT json_valid(one) AND trim(one) <> '[DONE]')) = 0
