-- question: what does each line of an SGLang engine's stdout say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): lines without terminal colours
-- framing: sglang
-- detect: ^\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:(?: [A-Z_]+\d+)+\] (?!\{"timestamp|Receive|Finish)|\] (?:server_args=|(?:Prefill|Decode) (?:batch|bootstrap|transfer|handshake)\b|Req ?Time ?Stats\(|Input length \(\d|Multimodal prompt is too long|Request \S+ exceeds the maximum number of|Deferred KV release|KV (?:[Cc]ache|checksum|pool)\b|kv_canary|Context corruption detected|Session \S+ failed\.|max_total_num_tokens=|Received output for rid=|Load weight (?:begin|end)|Memory pool end|Capture \S.* graph|Init torch distributed|Tree cache initialized|Attention backend |Using KV cache dtype|Ignore import error when loading sglang|Max concurrent requests \(|Health check failed\. Server couldn't|The server is fired up|Cache flushed|(?:Scheduler|TokenizerManager|DetokenizerManager) hit an exception|INFO: {2,}\S+ - "[A-Z]+ /(?:generate|v1/(?:chat/)?completions|v1/responses|health_generate|(?:get_)?(?:model|server)_info|flush_cache|abort_request)\b))
-- evidence: SGLang's [time ranks] prefix, or without ranks what only SGLang says behind it
-- where from: standard output of an SGLang engine, usually one file per pod: versions 0.5.8 to 0.5.23, older ones in part
-- assumptions: stamps are local (in UTC where a worker of Dynamo logs them), of second resolution, except entry_time
--   (epoch). Lines of every TP rank are kept, since a rank may be the only one that is left. bootstrap_room 0 is the engine's own warm-up. `start=` of versions up to 0.5.11 is
--   no wall clock and not used. Lines of the transfer engine between them (Mooncake's, by glog) are notes without a time.
--   Shapes: srt/managers/scheduler.py, schedule_batch.py, observability/req_time_stats.py, disaggregation/{prefill,decode}.py;
--   copied out in formats.md A1
-- cannot say: texts and tenants; sizes of single requests, unless --enable-request-time-stats-logging was on; years and
--   zones other than by declaration
-- traps: with attention data parallelism only rank 0 logs rejects, about 1 in dp_size. A line repeats once per TP rank. The
--   pool belongs to one process start: a restart changes it
-- false positives: a rid is set by the caller and may hold anything; it is matched lazily up to the next known field
WITH split AS MATERIALIZED (
    SELECT byte_offset, item, raw,
           regexp_extract(
               raw, '^\[(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?)(Z?)((?: [A-Z_]+\d+)*)\] ?(.*)$', ['stamp', 'utc', 'ranks', 'body'], 's'
           ) AS found
    FROM raw
),
line AS MATERIALIZED (
    SELECT byte_offset, item, found.stamp AS stamp, found.utc <> '' AS is_utc,
           try_cast(nullif(regexp_extract(found.ranks, ' DP(\d+)', 1), '') AS INTEGER) AS dp_rank,
           try_cast(nullif(regexp_extract(found.ranks, ' TP(\d+)', 1), '') AS INTEGER) AS tp_rank,
           CASE WHEN found.stamp = '' THEN raw ELSE found.body END AS body
    FROM split
),
parsed AS MATERIALIZED (
    SELECT *,
           regexp_extract(
               body,
               '^Req ?Time ?Stats\(rid=(.+?), bootstrap_room=(-?\d+|None), input[_ ]len=(\d+)(?:, cached[_ ]input[_ ]len=(\d+))?, output[_ ]len=(\d+).*?type=(\w+)\): ?(.*)$',
               ['rid', 'room', 'input', 'cached', 'output', 'type', 'rest']
           ) AS stats,
           regexp_extract(
               body, '^Input length \((\d+) tokens\) exceeds the maximum allowed length \((\d+) tokens\)(?:.*self\.rid=[''"](.*)[''"])?',
               ['input', 'allowed', 'rid']
           ) AS long,
           regexp_extract(
               body, '^Multimodal prompt is too long after expanding multimodal tokens\..*=> ?(\d+) >= (\d+)', ['input', 'allowed']
           ) AS media,
           regexp_extract(
               body, '^Request (.+) exceeds the maximum number of tokens: (\d+) > (\d+)', ['rid', 'input', 'allowed']
           ) AS gate,
           regexp_extract(body, '^Deferred KV release for room (\d+) timed out after ([\d.]+)s', ['room', 'seconds']) AS deferred,
           regexp_extract(
               body,
               '^(Prefill|Decode) (bootstrap|transfer|handshake) failed for request rank=(\d+) (?:decode_req\.)?req\.rid=[''"](.*?)[''"] (?:decode_req\.)?req\.bootstrap_room=(\d+)(?: with exception (.*))?',
               ['side', 'step', 'rank', 'rid', 'room', 'why']
           ) AS failed,
           regexp_extract(
               body, '^KV checksum mismatch( on a peer rank)? req=(.*?) bootstrap_room=(\d+)', ['peer', 'rid', 'room']
           ) AS checksum,
           regexp_extract(
               body,
               '^Context corruption detected: Request (.*?) \(bootstrap_room=(\d+)\) received metadata from bootstrap_room=(\d+)',
               ['rid', 'room', 'other']
           ) AS collision,
           regexp_extract(
               body, '^max_total_num_tokens=(\d+), .*?context_len=(\d+)', ['pool', 'context']
           ) AS limits,
           regexp_extract(
               body, '^KV pool holds (\d+) tokens, fewer than --context-length (\d+)', ['pool', 'context']
           ) AS small,
           regexp_extract(
               body, '^INFO: +(\S+) - "(\S+) (.*?) HTTP/[\d.]+" (\d{3})', ['peer', 'method', 'path', 'status']
           ) AS access
    FROM line
),
sorted AS (
    SELECT *,
           CASE
               WHEN stats.type <> '' AND (stats.rid LIKE 'HEALTH_CHECK%' OR stats.room = '0') THEN 'warmup'
               WHEN stats.type <> '' THEN 'engine'
               WHEN long.allowed <> '' OR media.allowed <> '' THEN 'reject'
               WHEN gate.allowed <> '' THEN 'gate'
               WHEN deferred.room <> '' THEN 'release'
               WHEN failed.room <> '' OR regexp_matches(body, '^Session \S+ failed\.') THEN 'transfer'
               WHEN checksum.room <> '' OR collision.room <> '' THEN 'detector'
               WHEN regexp_matches(body, '^(KV cache canary violation|kv_canary violation)') THEN 'detector'
               WHEN limits.pool <> '' OR small.pool <> '' THEN 'limits'
               WHEN regexp_matches(body, '^(Prefill|Decode) batch(?: \[\d+\])?[,.] ') THEN 'batch'
               WHEN access.status <> '' THEN 'access'
               ELSE 'note'
           END AS kind
    FROM parsed
)
SELECT
    byte_offset, item, kind,
    CASE WHEN kind IN ('engine', 'warmup') THEN 'finished' END AS phase,
    stamp_ns(stamp) AS at_ns,
    stamp <> '' AND NOT is_utc AS at_is_local,
    CASE
        WHEN stats.type <> '' THEN epoch_ns_of(nullif(regexp_extract(stats.rest, 'entry_time=([\d.]+)', 1), ''))
    END AS received_ns,
    coalesce(
        nullif(stats.rid, ''), nullif(long.rid, ''), nullif(gate.rid, ''), nullif(failed.rid, ''), nullif(checksum.rid, ''),
        nullif(collision.rid, ''), nullif(regexp_extract(body, '^Received output for rid=''(.*?)'' but the state was deleted', 1), '')
    ) AS rid,
    coalesce(
        nullif(stats.room, ''), nullif(deferred.room, ''), nullif(failed.room, ''), nullif(checksum.room, ''),
        nullif(collision.room, '')
    ) AS room,
    CASE
        WHEN stats.type IN ('prefill', 'decode', 'unified') THEN stats.type
        WHEN failed.side <> '' THEN lower(failed.side)
    END AS role,
    dp_rank, tp_rank,
    'sglang' AS engine,
    try_cast(nullif(stats.input, '') AS BIGINT) AS prompt_tokens,
    try_cast(nullif(stats.cached, '') AS BIGINT) AS cached_tokens,
    try_cast(nullif(stats.output, '') AS BIGINT) AS completion_tokens,
    try_cast(nullif(access.status, '') AS INTEGER) AS http_status,
    CASE WHEN kind IN ('reject', 'gate', 'transfer') THEN 'error' END AS outcome,
    CASE WHEN kind IN ('reject', 'gate', 'transfer', 'detector', 'release') THEN body END AS error_text,
    try_cast(coalesce(nullif(limits.pool, ''), nullif(small.pool, '')) AS BIGINT) AS pool_tokens,
    try_cast(coalesce(nullif(limits.context, ''), nullif(small.context, '')) AS BIGINT) AS context_tokens,
    try_cast(coalesce(nullif(long.allowed, ''), nullif(media.allowed, ''), nullif(gate.allowed, '')) AS BIGINT) AS allowed_tokens,
    try_cast(coalesce(nullif(long.input, ''), nullif(media.input, ''), nullif(gate.input, '')) AS BIGINT) AS input_tokens,
    CASE kind
        WHEN 'engine' THEN json_object(
            'times', stats.rest, 'transfer_total_mb', nullif(regexp_extract(stats.rest, 'transfer_total=([\d.]+) ?MB', 1), '')
        )
        WHEN 'release' THEN json_object('after_seconds', deferred.seconds)
        WHEN 'transfer' THEN json_object('step', nullif(failed.step, ''), 'why', nullif(failed.why, ''))
        WHEN 'detector' THEN json_object('peer_rank', checksum.peer <> '', 'other_room', nullif(collision.other, ''))
        WHEN 'limits' THEN json_object('source', CASE WHEN small.pool <> '' THEN 'pool warning' ELSE 'start line' END)
        WHEN 'batch' THEN
            CASE
                WHEN body LIKE 'Prefill batch%' THEN json_object(
                    'new_seq', try_cast(nullif(regexp_extract(body, '#new-seq: (\d+)', 1), '') AS BIGINT),
                    'new_token', try_cast(nullif(regexp_extract(body, '#new-token: (\d+)', 1), '') AS BIGINT)
                )
            END
        WHEN 'access' THEN json_object('peer', access.peer, 'method', access.method, 'path', access.path)
        WHEN 'note' THEN json_object('message', substr(body, 1, 200))
    END AS detail,
    CASE
        WHEN stamp = '' AND NOT regexp_matches(body, '^(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL): |[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ )')
            THEN 'foreign_line'
    END AS reject_reason
FROM sorted
