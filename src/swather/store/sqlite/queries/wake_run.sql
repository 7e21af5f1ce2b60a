UPDATE heads SET wake_at = 0, asleep = '' WHERE run_id = :run_id AND asleep NOT IN ('', 'empty')
