-- question: is there a prompt length that a prefill worker refuses and a decode worker takes?
-- grain: one row, for disaggregated SGLang with limits known on both sides
-- inputs: subject
-- statement: no
-- assumptions: the leak needs prefill's limit <= prompt < decode's limit, each min(context, pool) - 6; where both refuse, the
--   client gets an error (#35421). Any prefill may serve any decode
WITH side AS (
    SELECT min(least(pool_tokens, context_tokens) - 6) FILTER (role = 'prefill') AS prefill,
           max(least(pool_tokens, context_tokens) - 6) FILTER (role = 'decode') AS decode
    FROM subject
    WHERE shown = 'running' AND engine = 'sglang' AND NOT restarted AND pool_tokens IS NOT NULL AND context_tokens IS NOT NULL
)

SELECT
    'deployment' AS subject,
    CASE WHEN prefill < decode THEN 'fail' ELSE 'pass' END AS answer,
    CASE
        WHEN prefill < decode
            THEN 'prompts of ' || format('{:,}', prefill) || ' to ' || format('{:,}', decode - 1)
                || ' tokens are refused by a prefill worker and taken by a decode worker: these are answered from foreign pages'
        ELSE 'of those shown, no decode worker takes a prompt that a prefill worker refuses (from ' || format('{:,}', prefill) || ' tokens on)'
    END AS reason,
    '--context-length' AS setting,
    'Set one --context-length on all prefill and decode workers, at or under the smallest pool of any, and restart them' AS fix
FROM side
WHERE prefill IS NOT NULL AND decode IS NOT NULL
