SELECT state FROM swather.runs WHERE id = %(run_id)s FOR UPDATE
