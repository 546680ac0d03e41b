-- question: which scalar does this JSON value hold, where batches wrap scalars in lists?
-- grain: a macro of one value
-- inputs: held, JSON
-- assumptions: a list of several names no single request, and gives NULL
CREATE OR REPLACE MACRO lone(held) AS
CASE json_type(held)
    WHEN 'ARRAY' THEN CASE WHEN json_array_length(held) = 1 THEN held ->> '$[0]' END
    WHEN 'OBJECT' THEN NULL
    ELSE held ->> '$'
END
