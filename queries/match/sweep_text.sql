-- question: Which rows of the text files stand for an exchange's prompt or response, whose are they, and since when?
-- grain: one row per (file, row of it) that stands for an exchange, in the order of the files' names and rows
-- inputs: exchange, exchange_text, evidence/*/text.parquet (files)
-- assumptions: a prompt exists from its receipt, a response from its end; a response can hold what existed before it
--   ended, and its tenant's own words are those sent before it began. Unknown times explain nothing and exclude nothing.
WITH body AS (
    SELECT
        filename, file_row_number, file_id || ':' || byte_offset || ':' || item AS record_id,
        side, part, message_index, field
    FROM read_parquet($files::VARCHAR[], filename = true, file_row_number = true)
),

owned AS (
    SELECT
        b.filename, b.file_row_number, x.exchange_id, x.tenant, b.side, b.part, b.message_index, b.field,
        CASE
            WHEN b.side = 'prompt' THEN coalesce(x.received_ns, x.reserved_ns)
            ELSE coalesce(x.finished_ns, x.first_token_ns, x.received_ns, x.reserved_ns)
        END AS since_ns,
        coalesce(x.received_ns, x.reserved_ns, x.first_token_ns) AS began_ns,
        x.finished_ns AS until_ns,
        b.side = 'response' AND x.delivered != 'no' AS answer
    FROM body AS b
    INNER JOIN exchange_text AS t ON t.record_id = b.record_id AND t.side = b.side
    INNER JOIN exchange AS x ON x.exchange_id = t.exchange_id
    QUALIFY row_number() OVER (PARTITION BY b.filename, b.file_row_number ORDER BY x.exchange_id) = 1
)

SELECT
    filename, file_row_number, exchange_id, side, part, message_index, field,
    dense_rank() OVER (ORDER BY tenant) - 1 AS tenant,
    dense_rank() OVER (ORDER BY exchange_id) - 1 AS exchange,
    coalesce(since_ns, 0) AS since,
    coalesce(began_ns, $latest::BIGINT) AS began,
    coalesce(until_ns, $latest::BIGINT) AS until,
    side = 'prompt' AS prompt,
    answer
FROM owned
ORDER BY filename, file_row_number
