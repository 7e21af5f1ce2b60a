-- A run's rate and its number in flight hold for each egress that its requests can leave by: the
-- proxies of the pool that it may use. Those who leave directly have one.
ALTER TABLE runs ADD COLUMN egresses INTEGER NOT NULL DEFAULT 1;

DROP VIEW limiting_runs;
CREATE VIEW limiting_runs AS
SELECT id, lane_every_seconds / egresses AS lane_every_seconds, lane_burst,
       lane_in_flight * egresses AS lane_in_flight, rate_is_default, name
FROM runs AS r
WHERE state = 'open' AND (lane_every_seconds > 0 OR lane_in_flight IS NOT NULL)
  AND EXISTS (SELECT 1 FROM serving WHERE run_id = r.id);

-- The keys of egresses that have failed a task, each after a space.
ALTER TABLE faults ADD COLUMN avoids TEXT NOT NULL DEFAULT '';
