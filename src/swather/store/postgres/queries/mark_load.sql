UPDATE swather.runs SET load_incomplete = %(incomplete)s WHERE id = %(run_id)s
