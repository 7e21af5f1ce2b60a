UPDATE swather.files SET xid = '0' WHERE run_id = %(run_id)s
