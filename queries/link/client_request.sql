-- question: What do the gateway's, proxy's and client's records together say of one exchange?
-- grain: one row per exchange seen from the client's side
-- inputs: client_record, record, record_tenant, model_name
-- assumptions: the gateway's own record (it has a call id) outranks what an instrumented client says; times are its. A
--   refusal's text tells the engine's own token count, which no usage figure of a failed call does. What was captured into
--   a file of its own (headers, a stream's body) has coarse stamps, and a record id that follows from the file's name: it
--   comes last, and names an exchange only if nothing else does, so that the id does not change with where files lie.
WITH ranked AS (
    SELECT
        c.client_id, c.response_id, c.call_id, c.id_repeated, r.record_id, r.format, r.at_ns,
        r.received_ns, r.first_token_ns, r.finished_ns, r.model,
        coalesce(nullif(r.prompt_tokens, 0), r.input_tokens) AS prompt_tokens, r.cached_tokens, r.completion_tokens,
        r.http_status, r.outcome, r.finish_type, r.error_text, r.router_request_id, r.prompt_hash, r.response_chars,
        r.response_state, r.streamed, r.trace_id,
        t.tenant, t.ordinal, t.rule,
        CASE
            WHEN r.trace_id LIKE 'sse:%' THEN 2
            WHEN r.format LIKE 'litellm%' OR r.call_id IS NOT NULL THEN 0
            ELSE 1
        END AS authority
    FROM client_record AS c
    INNER JOIN record AS r ON r.record_id = c.record_id
    LEFT JOIN record_tenant AS t ON t.record_id = c.record_id
),

whole AS (
    SELECT
        client_id,
        max(response_id) AS response_id,
        max(call_id) AS call_id,
        bool_or(id_repeated) AS id_repeated,
        arg_min(coalesce(received_ns, at_ns), (authority, record_id)) FILTER (WHERE coalesce(received_ns, at_ns) IS NOT NULL)
            AS received_ns,
        min(first_token_ns) AS first_token_ns,
        arg_min(finished_ns, (authority, record_id)) FILTER (WHERE finished_ns IS NOT NULL) AS finished_ns,
        arg_min(model, (authority, record_id)) FILTER (WHERE model IS NOT NULL) AS raw_model,
        arg_min(prompt_tokens, (authority, record_id)) FILTER (WHERE prompt_tokens > 0) AS prompt_tokens,
        arg_min(completion_tokens, (authority, record_id)) FILTER (WHERE completion_tokens > 0) AS completion_tokens,
        arg_min(http_status, (authority, record_id)) FILTER (WHERE http_status IS NOT NULL) AS http_status,
        arg_min(outcome, (authority, record_id)) FILTER (WHERE outcome IS NOT NULL) AS outcome,
        arg_min(error_text, (authority, record_id)) FILTER (WHERE error_text IS NOT NULL) AS error_text,
        max(router_request_id) AS router_request_id,
        CASE WHEN count(DISTINCT prompt_hash) = 1 THEN max(prompt_hash) END AS prompt_hash,
        max(response_chars) AS response_chars,
        bool_or(coalesce(streamed, false)) AS streamed,
        arg_min(tenant, (ordinal, authority, record_id)) FILTER (WHERE tenant IS NOT NULL) AS tenant,
        arg_min(rule, (ordinal, authority, record_id)) FILTER (WHERE tenant IS NOT NULL) AS tenant_rule,
        count(DISTINCT tenant) AS tenants,
        count(*) FILTER (WHERE format LIKE 'litellm%' OR call_id IS NOT NULL) AS gateway_records,
        coalesce(
            min(record_id) FILTER (WHERE authority < 2),
            CASE WHEN client_id LIKE 'response:%' OR client_id LIKE 'call:%' THEN 'captured:' || substr(sha256(client_id), 1, 16) END,
            min(record_id)
        ) AS exchange_id
    FROM ranked
    GROUP BY client_id
)

SELECT
    w.* EXCLUDE (raw_model),
    coalesce(n.name, w.raw_model) AS model,
    EXISTS (SELECT 1 FROM ranked AS r WHERE r.client_id = w.client_id AND r.format = 'vllm_request_log') AS seen_in_vllm
FROM whole AS w
LEFT JOIN model_name AS n ON n.alias = w.raw_model
ORDER BY w.client_id
