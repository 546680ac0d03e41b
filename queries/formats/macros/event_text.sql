-- question: what does a span's event of this name hold, in this attribute?
-- grain: a macro of one value: JSON
-- inputs: events, a list of JSON: name, attributes; wanted, the event's name; attribute, a JSON path
-- assumptions: the first such event counts
CREATE OR REPLACE MACRO event_text(events, wanted, attribute) AS
json_extract(list_filter(events, lambda event: (event ->> 'name') = wanted)[1], attribute)
