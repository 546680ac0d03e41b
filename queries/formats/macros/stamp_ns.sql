-- question: which nanosecond does this wall-clock stamp name, read as if it were UTC?
-- grain: a macro of one value
-- inputs: stamp, "2026-11-17 09:20:28" with up to nine decimals, "T" or a blank between
-- assumptions: the caller says with at_is_local whether a declared zone must be applied
CREATE OR REPLACE MACRO stamp_ns(stamp) AS try(epoch_ns(try_cast(replace(stamp, ',', '.') AS TIMESTAMP_NS)))
