-- How runs fared over time. What has ended is counted from the beginning, and never shrinks: a task
-- that is tried again has ended twice. Run 0 stands for all runs together. A run whose counts do not
-- change gets no rows.
CREATE TABLE history_samples (
    run_id    INTEGER NOT NULL,
    at        REAL NOT NULL,
    completed INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    retried   INTEGER NOT NULL,
    items     INTEGER NOT NULL,
    ready     INTEGER NOT NULL,
    scheduled INTEGER NOT NULL,
    leased    INTEGER NOT NULL,
    PRIMARY KEY (run_id, at)
) WITHOUT ROWID;
CREATE INDEX history_samples_at ON history_samples (at);

-- What the last sample of a run has found.
CREATE TABLE history_runs (
    run_id INTEGER PRIMARY KEY,
    last   TEXT NOT NULL
);

-- What workers have measured in `seconds` from `at` on. Each worker writes to one of several shards.
CREATE TABLE measurements (
    run_id  INTEGER NOT NULL,
    at      REAL NOT NULL,
    shard   INTEGER NOT NULL,
    seconds REAL NOT NULL,
    data    TEXT NOT NULL,
    PRIMARY KEY (run_id, at, shard)
) WITHOUT ROWID;
CREATE INDEX measurements_at ON measurements (at);

-- One row. When the last sample was taken; what is older than the other times has been thinned, or
-- merged into minutes or into longer spans.
CREATE TABLE history_clock (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    sampled_at REAL NOT NULL DEFAULT 0,
    thinned_to REAL NOT NULL DEFAULT 0,
    minutes_to REAL NOT NULL DEFAULT 0,
    spans_to   REAL NOT NULL DEFAULT 0
);
INSERT INTO history_clock (id) VALUES (1);

CREATE INDEX runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL;
