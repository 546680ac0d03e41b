-- question: Which rare sentences stand in prompts of tenants that no rule names, and who else sent them?
-- grain: one row per (sentence, tenant that sent it); the sentence as its hash
-- inputs: exchange, exchange_text, text (view)
-- assumptions: sentences end at stops and line ends; of each part the first 16,384 characters count. Rare is what at least
--   40 bytes long is held by one named tenant at most, and by no more than three unnamed ones, or half of them. Only pieces
--   that an unnamed tenant sent matter.
-- false positives: one document sent by two tenants; so what follows from this is a proposal, never a join.
WITH piece AS (
    SELECT
        x.tenant, x.tenant_class = 'unresolved' AS unnamed,
        trim(regexp_replace(lower(unnest(string_split_regex(left(b.text, 16384), '[\n\r.!?。！？]+'))), '\s+', ' ', 'g')) AS words
    FROM exchange_text AS t
    INNER JOIN exchange AS x ON x.exchange_id = t.exchange_id
    INNER JOIN text AS b ON b.record_id = t.record_id AND b.side = t.side
    WHERE t.side = 'prompt'
),

held AS (
    SELECT DISTINCT md5(words) AS piece, strlen(words) AS bytes, tenant, unnamed
    FROM piece
    WHERE strlen(words) >= 40
),

counted AS (
    SELECT
        *,
        count(*) FILTER (NOT unnamed) OVER (PARTITION BY piece) AS named_holders,
        count(*) FILTER (unnamed) OVER (PARTITION BY piece) AS unnamed_holders
    FROM held
)

SELECT piece, bytes, tenant, unnamed
FROM counted
WHERE
    named_holders <= 1 AND unnamed_holders >= 1 AND named_holders + unnamed_holders >= 2
    AND unnamed_holders <= greatest(3, (SELECT count(DISTINCT tenant) FROM exchange WHERE tenant_class = 'unresolved') // 2)
ORDER BY piece, unnamed, tenant
