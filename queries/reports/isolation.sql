-- question: Were prefix caches kept apart between users, tenants, organizations, and how is that known?
-- grain: one row per boundary, from the narrowest to the widest
-- inputs: isolation; $confidence_milli
-- assumptions: this says nothing of any response: no text leaks through timing, and no verdict is moved by it
SELECT
    boundary,
    status,
    reason,
    CASE reason
        WHEN 'cached_tokens' THEN greatest(excess, counted_served) || ' first uses came from a cache by the engines'' own count of cached tokens'
        WHEN 'timing_of_tenants' THEN 'the first uses of ' || shared_tenants || ' of ' || tested_tenants || ' tenants were as fast as cached ones'
        WHEN 'timing' THEN 'first uses were faster than new prompts; at least ' || share_low_milli / 10 || ' % of them came from a cache'
        WHEN 'cached_tokens_none' THEN 'none of ' || counted || ' first uses came from a cache by the engines'' own count of cached tokens'
        WHEN 'timing_none' THEN 'at most ' || share_high_milli / 10 || ' % of ' || timed || ' first uses came from a cache'
        WHEN 'no_first_uses' THEN 'no prompt is known whose beginning others had sent and its own side had not (none counts while the logs do not reach back far enough)'
        WHEN 'no_times' THEN 'no record tells the time to the first token of a first use'
        WHEN 'cold_and_warm_alike' THEN 'a tenant''s own repetitions were not faster than its new prompts, so times tell nothing'
        ELSE 'between ' || share_low_milli / 10 || ' and ' || share_high_milli / 10 || ' % of ' || timed || ' first uses came from a cache'
    END AS detail,
    first_uses,
    tenants,
    tested_tenants,
    shared_tenants,
    excess,
    $confidence_milli AS confidence_milli
FROM isolation
ORDER BY CASE boundary WHEN 'users' THEN 1 WHEN 'tenants' THEN 2 ELSE 3 END
