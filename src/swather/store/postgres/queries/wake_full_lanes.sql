UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT h.id FROM swather.heads AS h
    WHERE h.asleep = 'full' AND h.lane_id = ANY(%(lanes)b::bigint[])
    FOR NO KEY UPDATE SKIP LOCKED
)
