-- Who works on which run. As long as somebody does, what the run allows on its lanes holds for all
-- others there.
CREATE TABLE serving (
    run_id    INTEGER NOT NULL,
    worker_id INTEGER NOT NULL,
    PRIMARY KEY (run_id, worker_id)
) WITHOUT ROWID;
CREATE INDEX serving_worker ON serving (worker_id);

-- Requests in flight beyond the one that each lease stands for, by the worker that makes them.
CREATE TABLE requests (
    lane_id   INTEGER NOT NULL,
    worker_id INTEGER NOT NULL,
    n         INTEGER NOT NULL,
    PRIMARY KEY (lane_id, worker_id)
) WITHOUT ROWID;
CREATE INDEX requests_worker ON requests (worker_id);

-- A default rate holds for lanes that are hosts of the public web. NULL: nobody has looked yet.
ALTER TABLE lanes ADD COLUMN is_public INTEGER;
ALTER TABLE runs ADD COLUMN rate_is_default INTEGER NOT NULL DEFAULT 0;

DROP INDEX heads_lane;
CREATE INDEX heads_lane_run ON heads (lane_id, run_id);

CREATE VIEW limiting_runs AS
SELECT id, lane_every_seconds, lane_burst, lane_in_flight, rate_is_default, name
FROM runs AS r
WHERE state = 'open' AND (lane_every_seconds > 0 OR lane_in_flight IS NOT NULL)
  AND EXISTS (SELECT 1 FROM serving WHERE run_id = r.id);

-- `tat` is from now on a reading of the monotonic clock, which nobody sets.
UPDATE lanes SET tat = 0 WHERE tat <> 0;
