-- Hosts that a person typed, which the run may reach at private addresses. Port 80 also stands for 443.
-- `first_address`: where a worker of the run first found the host; NULL until then.
CREATE TABLE swather.allowed_hosts (
    run_id        bigint NOT NULL,
    host          text NOT NULL,
    port          integer NOT NULL,
    first_address text,
    PRIMARY KEY (run_id, host, port)
);
