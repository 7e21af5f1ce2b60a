-- The processes that keep workers running, one place each. `restarts` and `stops`: what people have
-- asked for so far.
CREATE TABLE supervisors (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL,
    placement     TEXT NOT NULL,
    state         TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'retired', 'lost')),
    host          TEXT NOT NULL,
    boot_id       TEXT NOT NULL,
    namespace     TEXT NOT NULL,
    pid           INTEGER NOT NULL,
    started       TEXT NOT NULL,
    lease_seconds REAL NOT NULL,
    expires_mono  REAL NOT NULL,
    wanted        INTEGER NOT NULL,
    minimum       INTEGER,
    maximum       INTEGER,
    restarts      INTEGER NOT NULL DEFAULT 0,
    stops         INTEGER NOT NULL DEFAULT 0,
    command       TEXT NOT NULL,
    log_folder    TEXT NOT NULL,
    said          TEXT NOT NULL DEFAULT '{}',
    registered_at REAL NOT NULL,
    beat_at       REAL NOT NULL
);
CREATE UNIQUE INDEX supervisors_live ON supervisors (name) WHERE state = 'live';
