UPDATE runs SET state = 'open', finished_at = NULL WHERE id = :run_id AND state <> 'open'
