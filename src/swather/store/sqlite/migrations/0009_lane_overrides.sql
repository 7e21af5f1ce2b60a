-- Whether the limits that were set on a lane replace what scrapers ask for there. Limits from before
-- keep their meaning: the strictest applies.
ALTER TABLE lanes ADD COLUMN overrides INTEGER NOT NULL DEFAULT 0;
