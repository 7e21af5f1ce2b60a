-- Rows that scrapers left out of the results, by task, part and reason.
CREATE TABLE swather.rejections (
    run_id  bigint NOT NULL,
    task_id bigint NOT NULL,
    part    integer NOT NULL,
    reason  text NOT NULL,
    n       bigint NOT NULL,
    PRIMARY KEY (task_id, part, reason)
);
CREATE INDEX rejections_run ON swather.rejections (run_id);

-- Items that were left out because one with their key was there are counted from now on.
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'duplicates', count(*) FROM swather.item_heirs GROUP BY run_id;
