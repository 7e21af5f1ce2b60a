-- Items of an earlier attempt, whose task was tried again and failed. They are no results any more,
-- and stay until the task completes.
CREATE TABLE outdated_items (
    id      INTEGER NOT NULL,
    run_id  INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    part    INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    key     TEXT,
    data    TEXT NOT NULL,
    PRIMARY KEY (task_id, part, seq)
) WITHOUT ROWID;
CREATE INDEX outdated_items_run ON outdated_items (run_id, id);
