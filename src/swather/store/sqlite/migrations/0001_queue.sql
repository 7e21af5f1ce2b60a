-- Times are seconds since 1970 (UTC). A worker's lease is kept on the monotonic clock of its boot.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- One row. `version` grows with every change workers must notice; `token` is the last one given.
CREATE TABLE control (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL DEFAULT 0,
    token   INTEGER NOT NULL DEFAULT 0
);
INSERT INTO control (id) VALUES (1);

-- What is paced as one: a lane, or all of a scraper's work. `tat` is GCRA's theoretical arrival time.
-- Lane 0 is that of targets without a lane; nothing limits it.
CREATE TABLE lanes (
    id            INTEGER PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('lane', 'scraper')),
    name          TEXT NOT NULL,
    every_seconds REAL NOT NULL DEFAULT 0,
    burst         INTEGER NOT NULL DEFAULT 1,
    in_flight     INTEGER,
    paused        INTEGER NOT NULL DEFAULT 0,
    cool_until    REAL,
    cool_reason   TEXT NOT NULL DEFAULT '',
    tat           REAL NOT NULL DEFAULT 0,
    limited       INTEGER NOT NULL GENERATED ALWAYS AS (
        every_seconds > 0 OR in_flight IS NOT NULL OR paused OR cool_until IS NOT NULL
    ) VIRTUAL,
    UNIQUE (kind, name)
);
INSERT INTO lanes (id, kind, name) VALUES (0, 'lane', '');
CREATE INDEX lanes_limited ON lanes (id)
    WHERE every_seconds > 0 OR in_flight IS NOT NULL OR paused OR cool_until IS NOT NULL;

-- `priorities` has bit p set once a task of priority p was added; it never shrinks.
CREATE TABLE runs (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    name               TEXT NOT NULL UNIQUE,
    scraper            TEXT NOT NULL,
    scraper_lane_id    INTEGER NOT NULL REFERENCES lanes (id),
    params             TEXT NOT NULL DEFAULT '{}',
    version            TEXT NOT NULL DEFAULT '',
    strategy           TEXT NOT NULL DEFAULT 'fifo'
        CHECK (strategy IN ('fifo', 'lifo', 'priority', 'weighted_random')),
    lane_every_seconds REAL NOT NULL DEFAULT 0,
    lane_burst         INTEGER NOT NULL DEFAULT 1,
    lane_in_flight     INTEGER,
    state              TEXT NOT NULL DEFAULT 'open'
        CHECK (state IN ('open', 'finished', 'cancelled')),
    paused             INTEGER NOT NULL DEFAULT 0,
    cool_until         REAL,
    load_incomplete    INTEGER NOT NULL DEFAULT 0,
    priorities         INTEGER NOT NULL DEFAULT 0,
    times_finished     INTEGER NOT NULL DEFAULT 0,
    created_at         REAL NOT NULL,
    finished_at        REAL
);
CREATE INDEX runs_open ON runs (id) WHERE state = 'open';

-- The front of one run's partition and lane. `best` is at least the highest priority waiting there.
-- A claim looks at heads whose `wake_at` has come; an infinite one waits to be woken, `asleep` says
-- why: 'empty', 'full' (in flight), 'paused' or 'paced'.
CREATE TABLE heads (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id    INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    partition TEXT NOT NULL DEFAULT '',
    lane_id   INTEGER NOT NULL REFERENCES lanes (id),
    best      INTEGER NOT NULL,
    wake_at   REAL NOT NULL,
    asleep    TEXT NOT NULL DEFAULT '' CHECK (asleep IN ('', 'empty', 'full', 'paused', 'paced')),
    UNIQUE (run_id, partition, lane_id)
);
CREATE INDEX heads_wake ON heads (run_id, partition, best, wake_at, id);
CREATE INDEX heads_lane ON heads (lane_id);

-- Insert-only.
CREATE TABLE tasks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id     INTEGER NOT NULL,
    head_id    INTEGER NOT NULL,
    priority   INTEGER NOT NULL DEFAULT 5 CHECK (priority BETWEEN 1 AND 10),
    key        BLOB NOT NULL CHECK (length(key) = 32),
    target     TEXT NOT NULL,
    parent_id  INTEGER,
    due_at     REAL,
    created_at REAL NOT NULL,
    UNIQUE (run_id, key)
);

CREATE TABLE ready (
    head_id  INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    task_id  INTEGER NOT NULL,
    PRIMARY KEY (head_id, priority, task_id)
) WITHOUT ROWID;

CREATE TABLE scheduled (
    task_id  INTEGER PRIMARY KEY,
    run_id   INTEGER NOT NULL,
    head_id  INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    due_at   REAL NOT NULL
);
CREATE INDEX scheduled_due ON scheduled (due_at);
CREATE INDEX scheduled_run ON scheduled (run_id, due_at);

-- `replaces`: the task had completed before, its new rows replace the old.
CREATE TABLE leases (
    task_id    INTEGER PRIMARY KEY,
    token      INTEGER NOT NULL,
    worker_id  INTEGER NOT NULL,
    run_id     INTEGER NOT NULL,
    head_id    INTEGER NOT NULL,
    lane_id    INTEGER NOT NULL,
    priority   INTEGER NOT NULL,
    replaces   INTEGER NOT NULL DEFAULT 0,
    claimed_at REAL NOT NULL,
    progress   TEXT
);
CREATE INDEX leases_worker ON leases (worker_id);
CREATE INDEX leases_lane ON leases (lane_id) WHERE lane_id <> 0;

-- How a task ended: one row per ended task, with the token of the attempt that ended it.
CREATE TABLE outcomes (
    task_id  INTEGER PRIMARY KEY,
    run_id   INTEGER NOT NULL,
    token    INTEGER NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
    reason   TEXT NOT NULL,
    worker_id INTEGER,
    at       REAL NOT NULL
);
CREATE INDEX outcomes_not_completed ON outcomes (run_id, task_id) WHERE state <> 'completed';

-- How a task has failed so far; a task that never failed has no row. `token`: the last attempt that
-- was counted, so that an uncertain commit can be told from a stranger's.
CREATE TABLE faults (
    task_id       INTEGER PRIMARY KEY,
    run_id        INTEGER NOT NULL,
    token         INTEGER NOT NULL,
    attempts      INTEGER NOT NULL DEFAULT 0,
    blocked       INTEGER NOT NULL DEFAULT 0,
    proxy         INTEGER NOT NULL DEFAULT 0,
    crashes       INTEGER NOT NULL DEFAULT 0,
    crashes_alone INTEGER NOT NULL DEFAULT 0,
    replaces      INTEGER NOT NULL DEFAULT 0,
    error_class   TEXT,
    fingerprint   TEXT,
    message       TEXT,
    traceback     TEXT,
    at            REAL NOT NULL
);
CREATE INDEX faults_group ON faults (run_id, fingerprint, task_id);

CREATE TABLE error_groups (
    run_id           INTEGER NOT NULL,
    fingerprint      TEXT NOT NULL,
    error_class      TEXT NOT NULL,
    title            TEXT NOT NULL,
    place            TEXT NOT NULL,
    count            INTEGER NOT NULL,
    first_at         REAL NOT NULL,
    last_at          REAL NOT NULL,
    sample_task_id   INTEGER NOT NULL,
    sample_message   TEXT NOT NULL,
    sample_traceback TEXT NOT NULL,
    PRIMARY KEY (run_id, fingerprint)
) WITHOUT ROWID;

CREATE TABLE checkpoints (
    task_id INTEGER PRIMARY KEY,
    run_id  INTEGER NOT NULL,
    part    INTEGER NOT NULL,
    cursor  TEXT NOT NULL,
    version TEXT NOT NULL,
    at      REAL NOT NULL
);

CREATE TABLE items (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id  INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    part    INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    key     TEXT,
    data    TEXT NOT NULL,
    UNIQUE (task_id, part, seq)
);
CREATE INDEX items_run ON items (run_id, id);
CREATE UNIQUE INDEX items_key ON items (run_id, key) WHERE key IS NOT NULL;

CREATE TABLE files (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id     INTEGER NOT NULL,
    task_id    INTEGER NOT NULL,
    part       INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    media_type TEXT NOT NULL DEFAULT '',
    UNIQUE (task_id, part, seq)
);
CREATE INDEX files_run ON files (run_id, id);
CREATE INDEX files_sha256 ON files (sha256);

CREATE TABLE counters (
    run_id INTEGER NOT NULL,
    name   TEXT NOT NULL,
    n      INTEGER NOT NULL,
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

CREATE TABLE workers (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('worker', 'producer')),
    state         TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'retired', 'lost')),
    run_id        INTEGER,
    host          TEXT NOT NULL,
    boot_id       TEXT NOT NULL,
    namespace     TEXT NOT NULL,
    pid           INTEGER NOT NULL,
    started       TEXT NOT NULL,
    lease_seconds REAL NOT NULL,
    expires_mono  REAL NOT NULL,
    strategy      TEXT,
    version       TEXT NOT NULL DEFAULT '',
    paused        INTEGER NOT NULL DEFAULT 0,
    cool_until    REAL,
    registered_at REAL NOT NULL,
    beat_at       REAL NOT NULL,
    statistics    TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX workers_live ON workers (expires_mono) WHERE state = 'live';
CREATE INDEX workers_producing ON workers (run_id) WHERE state = 'live' AND kind = 'producer';

CREATE TABLE partitions (
    run_id   INTEGER NOT NULL,
    name     TEXT NOT NULL,
    owner_id INTEGER,
    PRIMARY KEY (run_id, name)
) WITHOUT ROWID;
CREATE INDEX partitions_owner ON partitions (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE events (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        REAL NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN (
        'created', 'claimed', 'started', 'progress', 'completed', 'failed', 'retry', 'released',
        'swept', 'cancelled'
    )),
    run_id    INTEGER NOT NULL,
    task_id   INTEGER,
    worker_id INTEGER,
    message   TEXT NOT NULL DEFAULT '',
    data      TEXT
);
CREATE INDEX events_run ON events (run_id, id);
CREATE INDEX events_task ON events (task_id, id);
CREATE INDEX events_worker ON events (worker_id, id);
CREATE INDEX events_at ON events (at);

-- For people with a SQL shell.
CREATE VIEW v_active_tasks AS
SELECT t.id AS task_id, r.name AS run, r.scraper, s.state, t.target, t.priority, l.name AS lane,
       h.partition, coalesce(f.attempts, 0) AS attempts, w.name AS worker, s.due_at, s.claimed_at,
       datetime(t.created_at, 'unixepoch') AS created_at
FROM (
    SELECT task_id, 'ready' AS state, NULL AS worker_id, NULL AS due_at, NULL AS claimed_at
    FROM ready
    UNION ALL
    SELECT task_id, 'scheduled', NULL, datetime(due_at, 'unixepoch'), NULL FROM scheduled
    UNION ALL
    SELECT task_id, 'leased', worker_id, NULL, datetime(claimed_at, 'unixepoch') FROM leases
) AS s
JOIN tasks AS t ON t.id = s.task_id
JOIN runs AS r ON r.id = t.run_id
JOIN heads AS h ON h.id = t.head_id
JOIN lanes AS l ON l.id = h.lane_id
LEFT JOIN faults AS f ON f.task_id = t.id
LEFT JOIN workers AS w ON w.id = s.worker_id;

CREATE VIEW v_worker_status AS
SELECT w.id AS worker_id, w.name, w.kind, w.state, w.host, w.pid, w.strategy, w.version, w.paused,
       (SELECT count(*) FROM leases WHERE worker_id = w.id) AS leases,
       (SELECT min(task_id) FROM leases WHERE worker_id = w.id) AS current_task_id,
       datetime(w.registered_at, 'unixepoch') AS registered_at,
       datetime(w.beat_at, 'unixepoch') AS beat_at,
       w.lease_seconds, w.statistics
FROM workers AS w;

CREATE VIEW v_task_stats AS
SELECT r.name AS run, r.scraper, c.name AS state, sum(c.n) AS tasks
FROM counters AS c
JOIN runs AS r ON r.id = c.run_id
WHERE c.name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')
GROUP BY r.id, r.name, r.scraper, c.name
HAVING sum(c.n) <> 0;
