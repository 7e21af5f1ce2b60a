-- What a worker was asked to do before it ends: finish its targets, or give them back.
ALTER TABLE workers ADD COLUMN leaving TEXT CHECK (leaving IN ('drain', 'stop'));
