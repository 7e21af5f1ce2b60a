-- Attempts that were executed before a person retried the task, which begins its counts anew.
ALTER TABLE swather.faults ADD COLUMN earlier integer NOT NULL DEFAULT 0;
