-- Attempts that were executed before a person retried the task, which begins its counts anew.
ALTER TABLE faults ADD COLUMN earlier INTEGER NOT NULL DEFAULT 0;
