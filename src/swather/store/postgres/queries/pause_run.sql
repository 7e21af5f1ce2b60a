UPDATE swather.runs SET paused = true WHERE id = %(run_id)s
