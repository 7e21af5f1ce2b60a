SELECT first_address FROM allowed_hosts WHERE run_id = :run_id AND host = :host AND port = :port
