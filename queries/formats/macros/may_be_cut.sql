-- question: is it worth asking whether a logger cut out the middle or the end of this text?
-- grain: a macro of one value: a boolean
-- inputs: held, a text; cuts_middle, whether the format cuts strings to 1024 + 1024
-- assumptions: cheap signs without which part_halves finds nothing: bytes of a text of 2051 characters, and the words it looks for
CREATE OR REPLACE MACRO may_be_cut(held, cuts_middle) AS (
    (coalesce(cuts_middle, FALSE) AND strlen(held) BETWEEN 2051 AND 8204)
    OR contains(held, '(litellm_truncated skipped ') OR suffix(held, ' chars)')
)
