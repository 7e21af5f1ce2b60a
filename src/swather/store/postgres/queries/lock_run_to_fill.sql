-- Against others who add to a run that has a limit.
SELECT FROM swather.runs WHERE id = %(run_id)s FOR NO KEY UPDATE
