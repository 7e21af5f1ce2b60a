SELECT params FROM swather.runs WHERE id = %(run_id)s FOR NO KEY UPDATE
