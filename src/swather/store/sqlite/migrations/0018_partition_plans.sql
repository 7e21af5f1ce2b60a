-- The place of a worker in its fleet: 0, 1, 2 …. Plans of partitions go by it.
ALTER TABLE workers ADD COLUMN number INTEGER;

-- Which worker number is to serve a partition while such a worker lives. A plan may name partitions
-- that a run does not have yet.
CREATE TABLE partition_plans (
    run_id INTEGER NOT NULL,
    name   TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

-- Leaving: the planned worker asks for it, so that its owner claims no more of it.
ALTER TABLE partitions ADD COLUMN leaving INTEGER NOT NULL DEFAULT 0;
