UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE run_id = %(run_id)s AND asleep IN ('paced', 'full')
    ORDER BY id
    FOR NO KEY UPDATE
)
