UPDATE swather.workers SET paused = false, cool_until = NULL WHERE id = %(worker_id)s RETURNING id
