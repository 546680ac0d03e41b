-- question: Which requests of engines are not joined to a client's exchange yet, by the corrected clock?
-- grain: one row per served request; model is the gateway's name for it, NULL where none is known
-- inputs: served, pairing, clock, model_pair, model_name
SELECT
    s.* REPLACE (
        s.received_ns - coalesce(k.skew_ns, 0) AS received_ns,
        s.finished_ns - coalesce(k.skew_ns, 0) AS finished_ns,
        coalesce(m.client_model, n.name) AS model
    )
FROM served AS s
LEFT JOIN clock AS k ON k.worker = s.clock_worker
LEFT JOIN model_pair AS m ON m.engine_model = s.model
LEFT JOIN model_name AS n ON n.alias = s.model
WHERE
    s.served_id NOT IN (SELECT served_id FROM pairing)
    -- a prefill half of a room that several claim has its decode half among the others
    AND (s.decode_id IS NOT NULL OR NOT s.room_ambiguous)
