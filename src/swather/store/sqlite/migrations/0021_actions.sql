-- What people have done, and how far it has come. `beat_at`: when its process last told.
CREATE TABLE actions (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        REAL NOT NULL,
    actor     TEXT NOT NULL,
    verb      TEXT NOT NULL,
    subject   TEXT NOT NULL,
    detail    TEXT NOT NULL,
    state     TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    done      INTEGER NOT NULL DEFAULT 0,
    total     INTEGER,
    error     TEXT NOT NULL DEFAULT '',
    ended_at  REAL,
    beat_at   REAL NOT NULL,
    host      TEXT NOT NULL,
    boot_id   TEXT NOT NULL,
    namespace TEXT NOT NULL,
    pid       INTEGER NOT NULL,
    started   TEXT NOT NULL
);
CREATE INDEX actions_at ON actions (at);
