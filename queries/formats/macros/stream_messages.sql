-- question: which messages do the pieces of a streamed answer make?
-- grain: a macro of one value: a JSON array with one message per choice, NULL without pieces
-- inputs: pieces, what stream_pieces gave
-- assumptions: tool arguments are joined per (choice, tool); their later deltas carry no id
CREATE OR REPLACE MACRO stream_messages(pieces) AS CASE
    WHEN len(pieces) > 0 THEN to_json(list_transform(
        list_sort(list_distinct(list_transform(pieces, lambda piece: piece.slot))),
        lambda slot: stream_message(list_filter(pieces, lambda piece: piece.slot = slot))
    ))
END
