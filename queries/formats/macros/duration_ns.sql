-- question: how many nanoseconds are these seconds?
-- grain: a macro of one value
-- inputs: seconds, decimal text
-- assumptions: beyond 285 years the value is no duration but damage, and gives NULL
CREATE OR REPLACE MACRO duration_ns(seconds) AS
CASE
    WHEN abs(try_cast(seconds AS DECIMAL(28, 9))) < 9000000000
        THEN cast(try_cast(seconds AS DECIMAL(28, 9)) * 1000000000 AS BIGINT)
END
