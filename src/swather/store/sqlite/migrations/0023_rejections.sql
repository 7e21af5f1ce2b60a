-- Rows that scrapers left out of the results, by task, part and reason.
CREATE TABLE rejections (
    run_id  INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    part    INTEGER NOT NULL,
    reason  TEXT NOT NULL,
    n       INTEGER NOT NULL,
    PRIMARY KEY (task_id, part, reason)
) WITHOUT ROWID;
CREATE INDEX rejections_run ON rejections (run_id);

-- Items that were left out because one with their key was there are counted from now on.
INSERT INTO counters (run_id, name, n)
SELECT run_id, 'duplicates', count(*) FROM item_heirs GROUP BY run_id;
