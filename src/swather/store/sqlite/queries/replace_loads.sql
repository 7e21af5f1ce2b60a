DELETE FROM loads WHERE run_id = :run_id AND source = :source AND content <> :content
