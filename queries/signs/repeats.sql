-- question: Who sent the same over-pool prompt again and again?
-- grain: one row per (tenant, key, prompt)
-- inputs: sign_subject
-- sign: repeats
-- looks for: three or more over-pool requests of one key with the same prompt or, where no text tells, of the same length
-- needs: lengths
-- false positives: clients that retry by themselves; a job that runs on a schedule.
SELECT
    tenant, tenant_class, key, count(*) AS requests, min(received_ns) AS first_ns, max(received_ns) AS last_ns,
    count(*) || ' over-pool requests ' || if(count(prompt_hash) = 0, 'of one length', 'with one prompt') || ', of '
    || min(prompt_tokens) || ' tokens, ' || count(*) FILTER (WHERE over_pool = 'answered') || ' of them answered' AS detail,
    list(request_id ORDER BY received_ns, exchange_id) AS request_ids
FROM sign_subject
WHERE over_pool IS NOT NULL AND prompt_tokens IS NOT NULL
GROUP BY tenant, tenant_class, key, coalesce(prompt_hash, 'length ' || prompt_tokens), prompt_hash IS NULL
HAVING count(*) >= 3
