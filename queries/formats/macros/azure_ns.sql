-- question: which moment (nanoseconds UTC) does this stamp of an Azure log name?
-- grain: a macro of one value
-- inputs: stamp, text: ISO 8601, or the portal's "9/2/2026, 8:41:07.120 AM"
-- assumptions: the portal's CSV is in UTC, as its column's name says
CREATE OR REPLACE MACRO azure_ns(stamp) AS coalesce(
    epoch_ns_of(stamp),
    try(epoch_ns(try_strptime(stamp, ['%m/%d/%Y, %I:%M:%S.%g %p', '%m/%d/%Y, %I:%M:%S %p'])))
)
