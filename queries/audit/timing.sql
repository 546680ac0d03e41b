-- question: How long did first tokens take, by model, decode worker and prompt size?
-- grain: one row per (model, decode worker, size class) of this run's answered exchanges
-- inputs: exchange, current_exchange
-- assumptions: a size class is the power of two below the prompt's tokens; microseconds, so that medians stay integers.
--   Times of the client's side, which hold the queue too: a drift is a reason to look, and says nothing of its cause.
SELECT
    coalesce(x.model, '') AS model, coalesce(x.decode_worker, '') AS worker,
    floor(log2(greatest(x.prompt_tokens, 1)))::INTEGER AS size_class,
    count(*) AS requests,
    quantile_disc((x.first_token_ns - x.received_ns) // 1000, 0.5)::BIGINT AS median_us,
    quantile_disc((x.first_token_ns - x.received_ns) // 1000, 0.05)::BIGINT AS fast_us
FROM exchange AS x
INNER JOIN current_exchange AS c ON c.exchange_id = x.exchange_id
WHERE x.first_token_ns > x.received_ns AND x.prompt_tokens IS NOT NULL AND x.delivered = 'yes'
GROUP BY ALL
ORDER BY ALL
