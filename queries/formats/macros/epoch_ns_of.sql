-- question: which moment (nanoseconds UTC) do these epoch seconds, or this ISO 8601 text with a zone, name?
-- grain: a macro of one value
-- inputs: seconds, text as a record spells it: "1794907228.994495", "1.79e9", "2026-11-17T09:20:28Z"
-- assumptions: text without a zone is taken as UTC, as LiteLLM writes it
CREATE OR REPLACE MACRO epoch_ns_of(seconds) AS
coalesce(
    CASE
        WHEN abs(try_cast(seconds AS DECIMAL(28, 9))) < 9000000000
            THEN cast(try_cast(seconds AS DECIMAL(28, 9)) * 1000000000 AS BIGINT)
    END,
    try(epoch_ns(try_cast(seconds AS TIMESTAMPTZ)))
)
