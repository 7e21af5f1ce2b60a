UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE run_id = ANY(%(run_ids)b::bigint[]) AND asleep NOT IN ('', 'empty')
    FOR NO KEY UPDATE SKIP LOCKED
)
RETURNING id
