-- question: which hash do equal messages share, whatever format told them?
-- grain: a macro of one value: SHA-256 in hex, NULL without text
-- inputs: parts, what parts_of gave of messages; sha256_of_messages (forensics/ingest/digest.py), which hashes them as
--   they stand
-- assumptions: a message counts as (index, role, text), its text being content and tool results joined in order; messages
--   without text count by the gap that they leave. Reasoning, tool arguments, images and names are left out, since
--   formats spell them differently. Separators are the control characters RS and US
CREATE OR REPLACE MACRO prompt_hash_of(parts) AS sha256_of_messages(parts)
