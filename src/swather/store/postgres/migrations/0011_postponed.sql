-- How often a task's scraper has asked for another time.
ALTER TABLE swather.faults ADD COLUMN postponed integer NOT NULL DEFAULT 0;
