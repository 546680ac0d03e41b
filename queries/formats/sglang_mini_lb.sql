-- question: what does each line of SGLang's mini load balancer say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): lines without terminal colours
-- framing: text
-- detect: ^(?:\x1b\[[0-9;]*m)*(?:.*\[MiniLB\]|MiniLB is only for debugging|.*sglang_router\.mini_lb|.*disaggregation\.mini_lb)
-- evidence: lines that name MiniLB
-- where from: standard output of sglang_router's mini_lb, a test router that some leave in service
-- assumptions: lines have no time. Access lines are uvicorn's, written when headers go out. Shapes: sglang_router/mini_lb.py (formats.md A8)
-- cannot say: times, ids, the workers that it chose at random: it logs no request of its own accord
-- traps: a log of uvicorn lines alone could be anyone's and is not recognised: name it with --format sglang_mini_lb
WITH line AS (
    SELECT byte_offset, item, raw,
           regexp_extract(raw, '^INFO: +(\S+) - "(\S+) (.*?) HTTP/[\d.]+" (\d{3})', ['peer', 'method', 'path', 'status']) AS access
    FROM raw
)
SELECT
    byte_offset, item,
    CASE WHEN access.status <> '' THEN 'access' WHEN contains(raw, 'DP sizes:') THEN 'topology' ELSE 'note' END AS kind,
    'sglang' AS engine,
    try_cast(nullif(access.status, '') AS INTEGER) AS http_status,
    CASE
        WHEN access.status <> '' THEN json_object('peer', access.peer, 'method', access.method, 'path', access.path)
        ELSE json_object('message', substr(raw, 1, 2000))
    END AS detail
FROM line
