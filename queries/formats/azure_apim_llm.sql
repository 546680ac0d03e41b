-- question: what does Azure API Management's log of language-model calls say?
-- grain: one row per call; rows that hold parts of one call were joined by framing
-- inputs: raw (line, byte_offset, item, raw): JSON objects made by framing: the call's columns, _rows, _gap
-- framing: azure
-- keys: CorrelationId, SequenceNumber, RequestMessages | CorrelationId, SequenceNumber, ResponseMessages
--   | category=GatewayLlmLogs, properties | Category=GatewayLlmLogs, properties
-- evidence: ApiManagementGatewayLlmLog rows
-- where from: the table ApiManagementGatewayLlmLog of a Log Analytics workspace (CSV or JSON), or the storage export of the
--   diagnostic setting (PT1H.json)
-- assumptions: RequestId is the model's response id. A message that a row ends in goes on in the next row's first one of the same
--   role. A missing SequenceNumber leaves a hole: both texts are then truncated. Times are UTC. Shapes: formats.md C8
-- cannot say: tenant and status, which azure_apim_gateway adds by the CorrelationId; first byte and end
-- traps: TenantId is the workspace, not your tenant. Bodies are cut at about 2 MB without a mark, and a call whose rows stand in two
--   hourly files is two records of one call, each with a hole
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'RequestMessages' AS asked,
           cast(raw AS JSON) -> 'ResponseMessages' AS answered, try_cast(cast(raw AS JSON) ->> '_gap' AS BOOLEAN) AS gap
    FROM raw
)
SELECT
    byte_offset, item, 'client' AS kind, 'whole' AS phase,
    azure_ns(coalesce(r ->> 'TimeGenerated', r ->> 'Time')) AS at_ns,
    r ->> 'RequestId' AS response_id,
    r ->> 'CorrelationId' AS call_id,
    coalesce(r ->> 'ModelName', r ->> 'DeploymentName') AS model,
    nullif(integer_of(r -> 'PromptTokens'), 0) AS prompt_tokens,
    nullif(integer_of(r -> 'CompletionTokens'), 0) AS completion_tokens,
    try_cast(r ->> 'IsStreamCompletion' AS BOOLEAN) AS streamed,
    CASE
        WHEN json_type(asked) NOT IN ('ARRAY', 'VARCHAR') OR asked IS NULL THEN 'absent'
        WHEN gap THEN 'truncated'
    END AS prompt_state,
    CASE
        WHEN json_type(answered) NOT IN ('ARRAY', 'VARCHAR') OR answered IS NULL THEN 'absent'
        WHEN gap THEN 'truncated'
    END AS response_state,
    json_object('DeploymentName', r -> 'DeploymentName', 'Region', r -> 'Region', '_ResourceId', r -> '_ResourceId') AS identity,
    json_object('rows', r -> '_rows', 'gap', gap, 'deployment', r ->> 'DeploymentName') AS detail,
    CASE WHEN json_type(asked) = 'ARRAY' THEN asked END AS prompt_messages,
    text_of(asked) AS prompt_text,
    CASE WHEN json_type(answered) = 'ARRAY' THEN answered END AS response_messages,
    text_of(answered) AS response_text,
    CASE WHEN (r ->> 'CorrelationId') IS NULL THEN 'not_this_format' END AS reject_reason
FROM given
