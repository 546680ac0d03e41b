-- question: which hash do equal messages share, whatever format told them?
-- grain: a macro of one value: SHA-256 in hex, NULL without text
-- inputs: parts, what parts_of gave of messages; sha256_of (forensics/ingest/digest.py), as sha256 and several times as fast
-- assumptions: a message counts as (index, role, text), its text being content and tool results joined in order; messages
--   without text count by the gap that they leave. Reasoning, tool arguments, images and names are left out, since
--   formats spell them differently. Separators are the control characters RS and US
CREATE OR REPLACE MACRO prompt_hash_of(parts) AS list_reduce(
    list_transform(
        [list_filter(parts, lambda part: part.field IN ('content', 'tool_result'))],
        lambda spoken: CASE
            WHEN len(spoken) > 0 THEN sha256_of(array_to_string(
                list_transform(
                    spoken,
                    lambda part, place: CASE
                        WHEN place > 1 AND spoken[place - 1].message_index = part.message_index THEN part.text
                        ELSE chr(30) || part.message_index || chr(31) || coalesce(part.role, '') || chr(31) || part.text
                    END
                ),
                ''
            ))
        END
    ),
    lambda one, other: one
)
