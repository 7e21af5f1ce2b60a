-- Who works on which run. As long as somebody does, what the run allows on its lanes holds for all
-- others there.
CREATE TABLE swather.serving (
    run_id    bigint NOT NULL,
    worker_id bigint NOT NULL,
    PRIMARY KEY (run_id, worker_id)
);
CREATE INDEX serving_worker ON swather.serving (worker_id);

-- Requests in flight beyond the one that each lease stands for, by the worker that makes them.
CREATE TABLE swather.requests (
    lane_id   bigint NOT NULL,
    worker_id bigint NOT NULL,
    n         bigint NOT NULL,
    PRIMARY KEY (lane_id, worker_id)
) WITH (
    fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX requests_worker ON swather.requests (worker_id);

CREATE OR REPLACE FUNCTION swather.lanes_in_flight(lanes bigint[])
RETURNS TABLE (lane_id bigint, n bigint) VOLATILE LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
    SELECT l.id,
           (SELECT count(*) FROM swather.leases AS s WHERE s.lane_id = l.id AND s.lane_id <> 0)
           + (
               SELECT coalesce(sum(q.n), 0)::bigint FROM swather.requests AS q
               WHERE q.lane_id = l.id
           )
    FROM unnest(lanes) AS l (id);
END
$$;

-- A default rate holds for lanes that are hosts of the public web. NULL: nobody has looked yet.
ALTER TABLE swather.lanes ADD COLUMN is_public boolean;
ALTER TABLE swather.runs ADD COLUMN rate_is_default boolean NOT NULL DEFAULT false;

CREATE INDEX heads_lane_run ON swather.heads (lane_id, run_id);
DROP INDEX swather.heads_lane;

CREATE VIEW swather.limiting_runs AS
SELECT id, lane_every_seconds, lane_burst, lane_in_flight, rate_is_default, name
FROM swather.runs AS r
WHERE state = 'open' AND (lane_every_seconds > 0 OR lane_in_flight IS NOT NULL)
  AND EXISTS (SELECT FROM swather.serving WHERE run_id = r.id);
