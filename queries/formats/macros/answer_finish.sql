-- question: why did the answer end, by its body?
-- grain: a macro of one value
-- inputs: body, JSON, as answer_messages
-- assumptions: of several choices the first
CREATE OR REPLACE MACRO answer_finish(body) AS coalesce(
    body ->> '$.choices[0].finish_reason', body ->> 'stop_reason', body ->> 'stopReason', body ->> '$.meta_info.finish_reason.type',
    body ->> '$.results[0].completionReason', CASE WHEN (body ->> 'object') = 'response' THEN body ->> 'status' END
)
