UPDATE swather.runs
SET cool_until = greatest(cool_until, swather.clock() + %(seconds)s * interval '1 second')
WHERE id = %(run_id)s
