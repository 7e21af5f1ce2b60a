-- Allowed hosts: those that a person named, which a run may reach at private addresses.

-- name: allow_host
INSERT INTO allowed_hosts (run_id, host, port) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: get_allowed_host
SELECT first_address FROM allowed_hosts WHERE run_id = :run_id AND host = :host AND port = :port

-- name: pin_allowed_host
UPDATE allowed_hosts SET first_address = :address
WHERE run_id = :run_id AND host = :host AND port = :port AND first_address IS NULL
