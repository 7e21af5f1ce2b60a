-- What a worker was asked to do before it ends: finish its targets, or give them back.
ALTER TABLE swather.workers ADD COLUMN leaving text CHECK (leaving IN ('drain', 'stop'));
