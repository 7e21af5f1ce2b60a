UPDATE allowed_hosts SET first_address = :address
WHERE run_id = :run_id AND host = :host AND port = :port AND first_address IS NULL
