-- Hosts that a person typed, which the run may reach at private addresses. Port 80 also stands for 443.
-- `first_address`: where a worker of the run first found the host; NULL until then.
CREATE TABLE allowed_hosts (
    run_id        INTEGER NOT NULL,
    host          TEXT NOT NULL,
    port          INTEGER NOT NULL,
    first_address TEXT,
    PRIMARY KEY (run_id, host, port)
) WITHOUT ROWID;
