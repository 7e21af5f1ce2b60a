UPDATE swather.loads SET complete = true
WHERE run_id = %(run_id)s AND source = %(source)s AND content = %(content)s
