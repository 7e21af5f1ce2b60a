-- When runs of a scraper start by themselves. `origin`: the file that it is written in, '' if a
-- person added it. `revision` grows with each firing and each change.
CREATE TABLE schedules (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL UNIQUE,
    scraper    TEXT NOT NULL,
    cron       TEXT NOT NULL,
    timezone   TEXT NOT NULL,
    overlap    TEXT NOT NULL CHECK (overlap IN ('skip', 'queue', 'both')),
    params     TEXT NOT NULL,
    targets    TEXT NOT NULL,
    origin     TEXT NOT NULL,
    enabled    INTEGER NOT NULL DEFAULT 1,
    next_at    REAL NOT NULL,
    revision   INTEGER NOT NULL DEFAULT 0,
    created_at REAL NOT NULL
);

-- The due times that have come. `missed`: how many more had passed by then. `producer_id`: the
-- process that loads, or has loaded, the targets of the run.
CREATE TABLE firings (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    due_at      REAL NOT NULL,
    fired_at    REAL NOT NULL,
    missed      INTEGER NOT NULL,
    state       TEXT NOT NULL
        CHECK (state IN ('queued', 'loading', 'running', 'ended', 'skipped', 'failed')),
    run_id      INTEGER,
    producer_id INTEGER,
    attempts    INTEGER NOT NULL DEFAULT 0,
    reason      TEXT NOT NULL DEFAULT '',
    UNIQUE (schedule_id, due_at)
);
CREATE INDEX firings_under_way ON firings (schedule_id, id)
WHERE state IN ('queued', 'loading', 'running');
CREATE INDEX firings_loading ON firings (run_id) WHERE state = 'loading';

-- What happened that people want to hear of, once for each key.
CREATE TABLE notices (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    uid     TEXT NOT NULL,
    kind    TEXT NOT NULL
        CHECK (kind IN ('run_ended', 'breaker_open', 'no_progress', 'schedule_failed')),
    key     TEXT NOT NULL UNIQUE,
    scraper TEXT NOT NULL,
    run     TEXT,
    data    TEXT NOT NULL,
    at      REAL NOT NULL
);
CREATE INDEX notices_at ON notices (at);

-- Since when hooks are known, by a digest: addresses and commands are not stored.
CREATE TABLE hooks (
    key    TEXT PRIMARY KEY,
    words  TEXT NOT NULL,
    met_at REAL NOT NULL
) WITHOUT ROWID;

-- What became of a notice at a hook. `due_at`: the next attempt, or the end of the lease of the
-- process that is sending.
CREATE TABLE deliveries (
    notice_id INTEGER NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    hook      TEXT NOT NULL,
    words     TEXT NOT NULL,
    state     TEXT NOT NULL CHECK (state IN ('sending', 'waiting', 'delivered', 'failed')),
    attempts  INTEGER NOT NULL,
    due_at    REAL NOT NULL,
    error     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (notice_id, hook)
) WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (hook, due_at) WHERE state IN ('sending', 'waiting');
