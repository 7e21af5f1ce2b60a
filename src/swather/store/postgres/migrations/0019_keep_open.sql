-- A run that is kept open is not finished when its tasks are: more targets are to come.
ALTER TABLE swather.runs ADD COLUMN keep_open boolean NOT NULL DEFAULT false;
