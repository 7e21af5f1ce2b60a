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
