UPDATE runs SET state = 'finished', times_finished = times_finished + 1, finished_at = :now
WHERE id = :run_id AND state = 'open'
