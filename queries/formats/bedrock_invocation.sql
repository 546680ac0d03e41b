-- question: what does each record of Amazon Bedrock's model invocation log say?
-- grain: one row per invocation
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json
-- keys: schemaType=ModelInvocationLog, requestId
-- evidence: ModelInvocationLog records
-- where from: the S3 bucket or CloudWatch log group of Bedrock's model invocation logging
-- assumptions: a body beyond 100 KB stands in an object of its own; trace_id 'bedrock:<name>' ties the record to it (bedrock_body) if
--   it was ingested too, whose text then stands for the call. A stream's output is logged as one body (Converse) or as an
--   array of chunks. Input tokens leave out what the prompt cache held. Shapes: formats.md C7
-- cannot say: first byte and end; HTTP status; the id in the model's own answer
-- traps: without the objects below data/ the longest prompts are absent, which are those that matter. timestamp has whole seconds
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'input' AS i, cast(raw AS JSON) -> 'output' AS o FROM raw
),
bodies AS MATERIALIZED (
    SELECT *, json_of(i -> 'inputBodyJson') AS asked, json_of(o -> 'outputBodyJson') AS answered,
           i ->> 'inputBodyS3Path' AS asked_at, o ->> 'outputBodyS3Path' AS answered_at,
           CASE WHEN json_type(json_of(o -> 'outputBodyJson')) = 'ARRAY' THEN json_extract(json_of(o -> 'outputBodyJson'), '$[*]') END AS events
    FROM given
),
told AS MATERIALIZED (
    SELECT *, stream_messages(stream_pieces(events)) AS streamed_messages, stream_told(events) AS told FROM bodies
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    epoch_ns_of(r ->> 'timestamp') AS at_ns,
    r ->> 'requestId' AS call_id,
    'bedrock:' || nullif(regexp_extract(coalesce(asked_at, answered_at), '([^/]+)_(?:input|output)\.json(?:\.gz)?$', 1), '') AS trace_id,
    r ->> 'modelId' AS model,
    'bedrock' AS engine,
    try(
        integer_of(i -> 'inputTokenCount') + coalesce(integer_of(i -> 'cacheReadInputTokenCount'), 0)
        + coalesce(integer_of(i -> 'cacheWriteInputTokenCount'), 0)
    ) AS prompt_tokens,
    integer_of(i -> 'cacheReadInputTokenCount') AS cached_tokens,
    integer_of(o -> 'outputTokenCount') AS completion_tokens,
    CASE WHEN (r ->> 'errorCode') IS NOT NULL THEN 'error' ELSE 'ok' END AS outcome,
    coalesce(answer_finish(answered), told.finish) AS finish_type,
    r ->> 'errorCode' AS error_text,
    (r ->> 'operation') IN ('ConverseStream', 'InvokeModelWithResponseStream') AS streamed,
    CASE WHEN asked_messages(asked) IS NULL AND asked_text(asked) IS NULL THEN 'absent' END AS prompt_state,
    CASE
        WHEN coalesce(streamed_messages, answer_messages(answered)) IS NULL AND answer_text(answered) IS NULL THEN 'absent'
        WHEN events IS NOT NULL AND told.finish IS NULL THEN 'truncated'
    END AS response_state,
    json_object(
        'arn', r -> '$.identity.arn', 'requestMetadata', r -> 'requestMetadata'
    ) AS identity,
    json_object(
        'account', r ->> 'accountId', 'region', r ->> 'region', 'operation', r ->> 'operation', 'inference_region', r ->> 'inferenceRegion', 'prompt_at', asked_at, 'response_at', answered_at
    ) AS detail,
    asked_messages(asked) AS prompt_messages,
    CASE WHEN asked_messages(asked) IS NULL THEN asked_text(asked) END AS prompt_text,
    coalesce(streamed_messages, answer_messages(answered)) AS response_messages,
    CASE WHEN coalesce(streamed_messages, answer_messages(answered)) IS NULL THEN answer_text(answered) END AS response_text,
    CASE WHEN (r ->> 'requestId') IS NULL THEN 'not_this_format' END AS reject_reason
FROM told
