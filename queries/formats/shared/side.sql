-- question: what did the format's query tell of this batch, with each side's parts of text in order?
-- grain: one row per row of the format's query
-- inputs: canonical, projected (what the format's query gave)
-- assumptions: text that a gateway replaced by redacted-by-litellm is no text
SELECT *,
       parts_of(prompt_messages, prompt_text, prompt_tail, cuts_middle) AS prompt_parts,
       parts_of(response_messages, response_text, response_tail, cuts_middle) AS response_parts
FROM (
    SELECT * FROM canonical
    UNION ALL BY NAME
    SELECT * FROM projected
) AS given
