-- question: can one tenant's prefix-cache entries be reused, and timed, by another?
-- grain: one row per process
-- inputs: subject
-- statement: yes
-- assumptions: both engines cache prefixes by default (--disable-radix-cache, --no-enable-prefix-caching turn it off). A key
--   that the gateway makes per user, tenant or organization is in its requests, not in any setting of the engine
SELECT
    process AS subject, path, line,
    CASE WHEN NOT prefix_cache THEN 'pass' ELSE 'cannot_tell' END AS answer,
    CASE
        WHEN NOT prefix_cache THEN 'it keeps no prefix cache'
        ELSE 'prefixes are cached' || CASE WHEN prefix_cache THEN '' ELSE ', unless turned off' END || '; how the key is scoped is not shown'
    END AS reason,
    'cache_salt / extra_key' AS setting,
    'Let the gateway set cache_salt (or extra_key) to an HMAC of the user, tenant or organization; then state d_scope, with the level' AS fix
FROM subject
ORDER BY subject
