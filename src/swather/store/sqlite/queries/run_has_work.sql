SELECT EXISTS (SELECT 1 FROM leases WHERE run_id = :run_id)
    OR EXISTS (SELECT 1 FROM scheduled WHERE run_id = :run_id)
    OR EXISTS (
        SELECT 1 FROM heads AS h
        WHERE h.run_id = :run_id AND EXISTS (SELECT 1 FROM ready AS r WHERE r.head_id = h.id)
    )
