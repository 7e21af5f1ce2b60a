SELECT EXISTS (
    SELECT 1 FROM workers WHERE run_id = :run_id AND state = 'live' AND kind = 'producer'
)
