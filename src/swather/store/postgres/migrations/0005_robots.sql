-- Until `claimed_until`, `claimed_by` alone asks the origin, and others wait for the answer.
ALTER TABLE swather.robots ADD COLUMN claimed_by text NOT NULL DEFAULT '';
ALTER TABLE swather.robots ADD COLUMN claimed_until timestamptz NOT NULL DEFAULT '-infinity';
