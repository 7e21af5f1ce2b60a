-- A set of targets that somebody loads into a run. `source` says where they come from, `content` what
-- was there at the time; a load that was never completed keeps its run from counting as loaded.
CREATE TABLE loads (
    run_id   INTEGER NOT NULL,
    source   TEXT NOT NULL,
    content  TEXT NOT NULL,
    name     TEXT NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, source, content)
) WITHOUT ROWID;

ALTER TABLE runs DROP COLUMN load_incomplete;

-- Parts of tasks whose files are committed and have no friendly names yet.
CREATE TABLE unlinked (
    task_id INTEGER NOT NULL,
    part    INTEGER NOT NULL,
    PRIMARY KEY (task_id, part)
) WITHOUT ROWID;

-- Keyed items that a task produced after another one had: it inherits them when the other is retried.
CREATE TABLE item_heirs (
    run_id  INTEGER NOT NULL,
    key     TEXT NOT NULL,
    task_id INTEGER NOT NULL,
    part    INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (run_id, key, task_id, part, seq)
) WITHOUT ROWID;
CREATE INDEX item_heirs_task ON item_heirs (task_id);

-- How far the wall clock was ahead of the monotonic one, under which boot: tells when it was set back.
ALTER TABLE control ADD COLUMN boot_id TEXT;
ALTER TABLE control ADD COLUMN wall_offset_seconds REAL;
