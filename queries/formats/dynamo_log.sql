-- question: what does each line of an NVIDIA Dynamo component's log say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): lines without terminal colours, plain or JSON
-- framing: dynamo
-- detect: ^(?:\x1b\[[0-9;]*m)*(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)\S*\s+\S*(?:TRACE|DEBUG|INFO|WARN|ERROR)\b.*\bdynamo_(?:llm|runtime|kv)|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\s+(?:DEBUG|INFO|WARN|ERROR)\s+[a-z_]\w*\.\w+: |\{"time": ?"[^"]*", ?"level": ?"[A-Z]+",.*"target": ?"(?:dynamo_|log"))
-- evidence: lines that name dynamo_llm or dynamo_runtime, or a function of Python as Dynamo's workers do (module.function:)
-- where from: standard error of Dynamo's frontend, router and workers; JSON with DYN_LOGGING_JSONL=true
-- assumptions: stamps carry their zone (UTC by default). The frontend's "Selected worker" tells the worker's number and dp rank at INFO;
--   whose request it was is told only in JSON, where x_request_id and trace_id stand beside it. Dynamo uses the trace id as
--   the engine's rid. A worker logs its engine's lines in its own shape: what an SGLang engine says of limits, requests,
--   refusals, transfers and pages goes to the query of the engine's own log. Shapes: formats.md A8
-- cannot say: texts; the worker's host, since worker_id is a number that only Dynamo's own registry resolves
-- traps: the engine's rid is the trace id, which several requests may share (dynamo 8601)
WITH line AS MATERIALIZED (
    SELECT byte_offset, item,
           CASE WHEN json_valid(raw) THEN cast(raw AS JSON) END AS r,
           regexp_extract(raw, '^(\d{4}-\d\d-\d\dT\S+)\s+(TRACE|DEBUG|INFO|WARN|ERROR)\s+(.*)$', ['stamp', 'level', 'body'], 's') AS f
    FROM raw
),
named AS (
    SELECT byte_offset, item, r, coalesce(r ->> 'time', nullif(f.stamp, '')) AS stamp, coalesce(r ->> 'level', f.level) AS level,
           coalesce(r ->> 'message', f.body) AS message,
           coalesce(
               r ->> 'x_request_id', r ->> 'request_id', nullif(regexp_extract(f.body, '\b(?:x_)?request_id="?([^\s",}]+)', 1), '')
           ) AS request_id
    FROM line
),
chosen AS (
    SELECT *, regexp_extract(
        message, '[Ss]elected worker: worker_id=(\d+) dp_rank=(?:Some\()?(\d+)?.*?cached blocks: ([\d.]+)', ['worker', 'rank', 'blocks']
    ) AS choice
    FROM named
)
SELECT
    byte_offset, item,
    CASE
        WHEN choice.worker <> '' OR request_id IS NOT NULL THEN 'router'
        ELSE 'note'
    END AS kind,
    epoch_ns_of(stamp) AS at_ns,
    request_id AS router_request_id,
    r ->> 'trace_id' AS trace_id,
    try_cast(nullif(choice.rank, '') AS INTEGER) AS dp_rank,
    'dynamo' AS engine,
    CASE WHEN level = 'ERROR' THEN 'error' END AS outcome,
    CASE WHEN level = 'ERROR' THEN message END AS error_text,
    json_object(
        'level', level, 'message', substr(message, 1, 2000), 'worker_id', nullif(choice.worker, ''), 'cached_blocks', nullif(choice.blocks, ''),
        'span', r ->> 'span_name', 'uri', r ->> 'uri'
    ) AS detail,
    CASE WHEN stamp IS NULL THEN 'foreign_line' END AS reject_reason
FROM chosen
