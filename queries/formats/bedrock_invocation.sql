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
WITH taken AS MATERIALIZED (
    -- Bodies are long: taken out once, so that no other field reads them again.
    SELECT byte_offset, item, json_extract(raw, ['$.input.inputBodyJson', '$.output.outputBodyJson']) AS bodies,
           json_merge_patch(raw, '{"input": {"inputBodyJson": null}, "output": {"outputBodyJson": null}}') AS r
    FROM raw
),
parsed AS MATERIALIZED (
    SELECT byte_offset, item, r, r -> 'input' AS i, r -> 'output' AS o, json_of(bodies[1]) AS asked, json_of(bodies[2]) AS answered,
           r ->> '$.input.inputBodyS3Path' AS asked_at, r ->> '$.output.outputBodyS3Path' AS answered_at
    FROM taken
),
streams AS (
    SELECT *, CASE WHEN json_type(answered) = 'ARRAY' THEN json_extract(answered, '$[*]') END AS events FROM parsed
),
told AS MATERIALIZED (
    SELECT *, stream_told(events) AS told, asked_messages(asked) AS prompt_messages,
           coalesce(stream_messages(stream_pieces(events)), answer_messages(answered)) AS response_messages
    FROM streams
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
    CASE WHEN prompt_messages IS NULL AND asked_text(asked) IS NULL THEN 'absent' END AS prompt_state,
    CASE
        WHEN response_messages IS NULL AND answer_text(answered) IS NULL THEN 'absent'
        WHEN events IS NOT NULL AND told.finish IS NULL THEN 'truncated'
    END AS response_state,
    json_object(
        'arn', r -> '$.identity.arn', 'requestMetadata', r -> 'requestMetadata'
    ) AS identity,
    json_object(
        'account', r ->> 'accountId', 'region', r ->> 'region', 'operation', r ->> 'operation',
        'inference_region', r ->> 'inferenceRegion', 'prompt_at', asked_at, 'response_at', answered_at
    ) AS detail,
    prompt_messages,
    CASE WHEN prompt_messages IS NULL THEN asked_text(asked) END AS prompt_text,
    response_messages,
    CASE WHEN response_messages IS NULL THEN answer_text(answered) END AS response_text,
    CASE WHEN (r ->> 'requestId') IS NULL THEN 'not_this_format' END AS reject_reason
FROM told
