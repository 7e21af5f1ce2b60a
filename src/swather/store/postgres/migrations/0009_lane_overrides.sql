-- Whether the limits that were set on a lane replace what scrapers ask for there. Limits from before
-- keep their meaning: the strictest applies.
ALTER TABLE swather.lanes ADD COLUMN overrides boolean NOT NULL DEFAULT false;
