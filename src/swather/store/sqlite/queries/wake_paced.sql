UPDATE heads SET wake_at = 0, asleep = ''
WHERE run_id = :run_id AND wake_at > :now AND asleep IN ('paced', 'full')
