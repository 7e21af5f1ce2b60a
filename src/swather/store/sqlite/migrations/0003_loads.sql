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
