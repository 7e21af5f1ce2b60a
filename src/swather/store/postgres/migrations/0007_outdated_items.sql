-- Items of an earlier attempt, whose task was tried again and failed. They are no results any more,
-- and stay until the task completes.
CREATE TABLE swather.outdated_items (
    id      bigint NOT NULL,
    run_id  bigint NOT NULL,
    task_id bigint NOT NULL,
    part    integer NOT NULL,
    seq     integer NOT NULL,
    key     text,
    data    text NOT NULL,
    PRIMARY KEY (task_id, part, seq)
);
CREATE INDEX outdated_items_run ON swather.outdated_items (run_id, id);
