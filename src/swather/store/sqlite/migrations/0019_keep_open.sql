-- A run that is kept open is not finished when its tasks are: more targets are to come.
ALTER TABLE runs ADD COLUMN keep_open INTEGER NOT NULL DEFAULT 0;
