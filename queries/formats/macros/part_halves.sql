-- question: is this part of text whole, or the two ends of one whose middle a logger cut out?
-- grain: a macro of one value: a list of one or two structs (message_index, role, field, fragment, text)
-- inputs: part, a struct (message_index, role, field, text); cuts_middle, whether the format cuts strings to 1024 + 1024
-- assumptions: SGLang joins the halves by "..." (2051 characters); LiteLLM's database writes how much it
--   skipped, older versions how much they cut off the end
CREATE OR REPLACE MACRO part_halves(part, cuts_middle) AS CASE
    WHEN cuts_middle AND length(part.text) = 2051 AND substr(part.text, 1025, 3) = '...' THEN [
        {
            'message_index': part.message_index, 'role': part.role, 'field': part.field, 'fragment': 'head',
            'text': substr(part.text, 1, 1024)
        },
        {
            'message_index': part.message_index, 'role': part.role, 'field': part.field, 'fragment': 'tail',
            'text': substr(part.text, 1028)
        }
    ]
    WHEN regexp_matches(part.text, '\(litellm_truncated skipped \d+ chars') THEN [
        {
            'message_index': part.message_index, 'role': part.role, 'field': part.field, 'fragment': 'head',
            'text': regexp_extract(part.text, '^(.*?)(?:\.\.\. )?\(litellm_truncated skipped \d+ chars', 1, 's')
        },
        {
            'message_index': part.message_index, 'role': part.role, 'field': part.field, 'fragment': 'tail',
            'text': regexp_extract(part.text, '\(litellm_truncated skipped \d+ chars(?:.*?\) \.\.\.|[^)]*\))(.*)$', 1, 's')
        }
    ]
    WHEN regexp_matches(part.text, '\.\.\. \(truncated \d+ chars\)$') THEN [
        {
            'message_index': part.message_index, 'role': part.role, 'field': part.field, 'fragment': 'head',
            'text': regexp_replace(part.text, '\.\.\. \(truncated \d+ chars\)$', '')
        }
    ]
    ELSE [
        {
            'message_index': part.message_index, 'role': part.role, 'field': part.field, 'fragment': 'whole', 'text': part.text
        }
    ]
END
