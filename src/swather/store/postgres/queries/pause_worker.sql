UPDATE swather.workers SET paused = true WHERE id = %(worker_id)s RETURNING id
