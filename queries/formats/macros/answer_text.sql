-- question: which text does an answer's body hold where it has no messages?
-- grain: a macro of one value
-- inputs: body, JSON: SGLang /generate, Llama and older models on Bedrock, or a plain text
-- assumptions: none
CREATE OR REPLACE MACRO answer_text(body) AS coalesce(
    text_of(body), text_of(json_extract(body, '$.text')), text_of(json_extract(body, '$.generation')), text_of(json_extract(body, '$.completion')),
    text_of(json_extract(body, '$.outputs[0].text'))
)
