-- Until `claimed_until`, `claimed_by` alone asks the origin, and others wait for the answer.
ALTER TABLE robots ADD COLUMN claimed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE robots ADD COLUMN claimed_until REAL NOT NULL DEFAULT 0;
