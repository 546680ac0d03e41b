-- question: which id does this text spell, if any?
-- grain: a macro of one value
-- inputs: spelled, as the record has it
-- assumptions: empty, 0, null and None name nothing; they would join what does not belong together
CREATE OR REPLACE MACRO id_of(spelled) AS
CASE WHEN trim(spelled) IN ('', '0', '-1', 'null', 'None', '-') THEN NULL ELSE spelled END
