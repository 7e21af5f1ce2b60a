SELECT name FROM swather.loads WHERE run_id = %(run_id)s AND NOT complete ORDER BY name
