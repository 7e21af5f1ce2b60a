UPDATE swather.runs SET paused = false, cool_until = NULL WHERE id = %(run_id)s
