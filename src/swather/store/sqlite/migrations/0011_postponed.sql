-- How often a task's scraper has asked for another time.
ALTER TABLE faults ADD COLUMN postponed INTEGER NOT NULL DEFAULT 0;
