-- A set of targets that somebody loads into a run. `source` says where they come from, `content` what
-- was there at the time; a load that was never completed keeps its run from counting as loaded.
CREATE TABLE swather.loads (
    run_id   bigint NOT NULL,
    source   text NOT NULL,
    content  text NOT NULL,
    name     text NOT NULL,
    complete boolean NOT NULL DEFAULT false,
    PRIMARY KEY (run_id, source, content)
);

ALTER TABLE swather.runs DROP COLUMN load_incomplete;

-- Parts of tasks whose files are committed and have no friendly names yet.
CREATE TABLE swather.unlinked (
    task_id bigint NOT NULL,
    part    integer NOT NULL,
    PRIMARY KEY (task_id, part)
);

-- Keyed items that a task produced after another one had: it inherits them when the other is retried.
CREATE TABLE swather.item_heirs (
    run_id  bigint NOT NULL,
    key     text NOT NULL,
    task_id bigint NOT NULL,
    part    integer NOT NULL,
    seq     integer NOT NULL,
    PRIMARY KEY (run_id, key, task_id, part, seq)
);
CREATE INDEX item_heirs_task ON swather.item_heirs (task_id);
