SELECT first_address FROM swather.allowed_hosts
WHERE run_id = %(run_id)s AND host = %(host)s AND port = %(port)s
