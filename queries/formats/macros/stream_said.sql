-- question: what do the chunks of a streamed answer say that hold plain texts?
-- grain: a macro of one value: text, NULL without any
-- inputs: texts, a list of text in order, NULL where a chunk holds none
-- assumptions: where each text begins with the one before it, it repeats what was said so far, and the longest is all of it; a character
--   that was not whole yet stands as U+FFFD at the end. Else each goes on where the one before it ended
CREATE OR REPLACE MACRO stream_said(texts) AS CASE
    WHEN list_reduce(
        list_transform(list_filter(texts, lambda text: text IS NOT NULL), lambda text: {'text': text, 'repeats': TRUE}),
        lambda before, after: {
            'text': after.text, 'repeats': before.repeats AND starts_with(after.text, rtrim(before.text, chr(65533)))
        },
        {'text': '', 'repeats': TRUE}
    ).repeats
        THEN nullif(list_reduce(
            texts, lambda longest, text: CASE WHEN coalesce(length(text), 0) > length(longest) THEN text ELSE longest END, ''
        ), '')
    ELSE list_aggregate(texts, 'string_agg', '')
END
