-- question: Which files are the evidence, and what was read from them?
-- grain: one row per evidence path
-- inputs: file
SELECT
    path,
    raw_sha256,
    decoded_sha256,
    raw_bytes,
    decoded_bytes,
    compression,
    format,
    zone,
    worker,
    role,
    records_read,
    records_kept,
    records_rejected,
    records_duplicate,
    first_ns,
    last_ns,
    cut_short,
    copy_of,
    file_id
FROM file
ORDER BY path
