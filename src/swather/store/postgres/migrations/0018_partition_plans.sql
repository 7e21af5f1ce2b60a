-- The place of a worker in its fleet: 0, 1, 2 …. Plans of partitions go by it.
ALTER TABLE swather.workers ADD COLUMN number integer;

-- Which worker number is to serve a partition while such a worker lives. A plan may name partitions
-- that a run does not have yet.
CREATE TABLE swather.partition_plans (
    run_id bigint NOT NULL,
    name   text NOT NULL,
    number integer NOT NULL,
    PRIMARY KEY (run_id, name)
);

-- Leaving: the planned worker asks for it, so that its owner claims no more of it.
ALTER TABLE swather.partitions ADD COLUMN leaving boolean NOT NULL DEFAULT false;
