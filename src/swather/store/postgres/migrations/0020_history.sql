-- How runs fared over time. What has ended is counted from the beginning, and never shrinks: a task
-- that is tried again has ended twice. Run 0 stands for all runs together. A run whose counts do not
-- change gets no rows.
CREATE TABLE swather.history_samples (
    run_id    bigint NOT NULL,
    at        timestamptz NOT NULL,
    completed bigint NOT NULL,
    failed    bigint NOT NULL,
    cancelled bigint NOT NULL,
    retried   bigint NOT NULL,
    items     bigint NOT NULL,
    ready     bigint NOT NULL,
    scheduled bigint NOT NULL,
    leased    bigint NOT NULL,
    PRIMARY KEY (run_id, at)
);
CREATE INDEX history_samples_at ON swather.history_samples (at);

-- What the last sample of a run has found.
CREATE TABLE swather.history_runs (
    run_id bigint PRIMARY KEY,
    last   text NOT NULL
) WITH (fillfactor = 50);

-- What workers have measured in `seconds` from `at` on. Each worker writes to one of several shards.
CREATE TABLE swather.measurements (
    run_id  bigint NOT NULL,
    at      timestamptz NOT NULL,
    shard   integer NOT NULL,
    seconds float8 NOT NULL,
    data    text NOT NULL,
    PRIMARY KEY (run_id, at, shard)
) WITH (fillfactor = 50);
CREATE INDEX measurements_at ON swather.measurements (at);

-- One row. When the last sample was taken; what is older than the other times has been thinned, or
-- merged into minutes or into longer spans.
CREATE TABLE swather.history_clock (
    id         integer PRIMARY KEY CHECK (id = 1),
    sampled_at timestamptz NOT NULL DEFAULT 'epoch',
    thinned_to timestamptz NOT NULL DEFAULT 'epoch',
    minutes_to timestamptz NOT NULL DEFAULT 'epoch',
    spans_to   timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 10);
INSERT INTO swather.history_clock (id) VALUES (1);

CREATE INDEX runs_finished ON swather.runs (finished_at) WHERE finished_at IS NOT NULL;
