-- question: which whole number does this JSON value tell, whether as a number or as text?
-- grain: a macro of one value
-- inputs: held, JSON
-- assumptions: 284937.0, as some CSV writers make of integers, is 284937; what is no number is NULL
CREATE OR REPLACE MACRO integer_of(held) AS coalesce(
    try_cast(held ->> '$' AS BIGINT), try_cast(try_cast(held ->> '$' AS DECIMAL(28, 9)) AS BIGINT)
)
