UPDATE swather.lanes SET learned_every_seconds = NULL, learned_at = NULL
WHERE id = %(lane_id)s AND learned_at < swather.clock() - %(seconds)s * interval '1 second'
