UPDATE swather.allowed_hosts SET first_address = %(address)s
WHERE run_id = %(run_id)s AND host = %(host)s AND port = %(port)s AND first_address IS NULL
