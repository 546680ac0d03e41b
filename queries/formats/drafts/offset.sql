-- question: how far is each file's wall clock, read as UTC, from UTC?
-- grain: one row per file whose local stamps can be compared
-- inputs: file, record (ingested as if all zones were UTC)
-- assumptions: an offset is a multiple of a quarter of an hour; stamps are compared with epoch times in the same record, else
--   with the client's record of the same response. The median is robust against slow requests
WITH own AS (
    SELECT file_id, record.at_ns - received_ns AS gap, at_ns, 'epoch times in the same records' AS beside
    FROM record
    WHERE format = 'sglang_engine_log' AND kind IN ('engine', 'warmup') AND received_ns IS NOT NULL
    UNION ALL
    SELECT file_id,
           at_ns - epoch_ns(to_timestamp(try_cast(detail ->> 'response_sent_to_client_ts' AS DOUBLE))), at_ns,
           'epoch times in the same records'
    FROM record
    WHERE format = 'sglang_request_log' AND phase = 'finished' AND (detail ->> 'response_sent_to_client_ts') IS NOT NULL
),
joined AS (
    SELECT record.file_id, record.at_ns - client.received_ns AS gap, record.at_ns, 'the client''s records of the same responses' AS beside
    FROM record
    INNER JOIN record AS client
        ON client.kind = 'client' AND client.response_id = coalesce(record.response_id, record.rid) AND client.received_ns IS NOT NULL
    WHERE record.kind = 'engine' AND record.at_ns IS NOT NULL AND record.file_id NOT IN (SELECT file_id FROM own)
),
pair AS (
    SELECT * FROM own
    UNION ALL
    SELECT * FROM joined
)
SELECT
    file.path, count(*) AS pairs, min(pair.beside) AS beside,
    cast(quantile_disc(cast(round(gap / 900000000000.0) AS BIGINT), 0.5) AS BIGINT) * 900000000000 AS offset_ns,
    cast(year(make_timestamp_ns(min(pair.at_ns))) AS INTEGER) AS year
FROM pair
INNER JOIN file ON pair.file_id = file.file_id
GROUP BY file.path
ORDER BY file.path
