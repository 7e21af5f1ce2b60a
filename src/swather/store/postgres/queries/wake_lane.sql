UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE lane_id = %(lane_id)s AND asleep NOT IN ('', 'empty')
    ORDER BY id
    FOR NO KEY UPDATE
)
