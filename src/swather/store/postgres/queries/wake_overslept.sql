UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE run_id = ANY(%(run_ids)b::bigint[]) AND asleep IN ('paced', 'full')
      AND wake_at > swather.clock()
    FOR NO KEY UPDATE SKIP LOCKED
)
