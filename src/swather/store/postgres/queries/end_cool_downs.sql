UPDATE swather.lanes
SET cool_until = NULL, cool_reason = ''
WHERE id IN (
    SELECT id FROM swather.lanes
    WHERE limited AND cool_until < swather.clock() - interval '1 minute'
    FOR NO KEY UPDATE SKIP LOCKED
)
