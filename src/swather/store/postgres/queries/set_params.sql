UPDATE swather.runs SET params = %(params)s WHERE id = %(run_id)s
