UPDATE swather.runs
SET state = 'cancelled', finished_at = swather.clock()
WHERE id = (
    -- The key is locked as well, against those who add tasks.
    SELECT id FROM swather.runs WHERE id = %(run_id)s AND state = 'open' FOR UPDATE
)
