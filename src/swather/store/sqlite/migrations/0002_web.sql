-- What claims go by (every_seconds, burst) is now the slowest of what was set, what was learned and the
-- site's crawl delay. From `forgiven_at` on, strikes no longer count; `tripped`: a breaker is open for
-- some scraper.
ALTER TABLE lanes ADD COLUMN set_every_seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN set_burst INTEGER NOT NULL DEFAULT 1;
ALTER TABLE lanes ADD COLUMN learned_every_seconds REAL;
ALTER TABLE lanes ADD COLUMN learned_at REAL;
ALTER TABLE lanes ADD COLUMN crawl_delay_seconds REAL;
ALTER TABLE lanes ADD COLUMN strikes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN forgiven_at REAL;
ALTER TABLE lanes ADD COLUMN tripped INTEGER NOT NULL DEFAULT 0;
UPDATE lanes SET set_every_seconds = every_seconds, set_burst = burst
WHERE every_seconds <> 0 OR burst <> 1;
CREATE INDEX lanes_learned ON lanes (learned_at) WHERE learned_at IS NOT NULL;

-- A breaker is open while it has a row.
CREATE TABLE breakers (
    lane_id       INTEGER NOT NULL,
    scraper_id    INTEGER NOT NULL,
    opened_at     REAL NOT NULL,
    probe_at      REAL NOT NULL,
    probe_seconds REAL NOT NULL,
    seen          TEXT NOT NULL,
    PRIMARY KEY (lane_id, scraper_id)
) WITHOUT ROWID;
CREATE INDEX breakers_scraper ON breakers (scraper_id);

ALTER TABLE runs ADD COLUMN task_limit INTEGER;

CREATE TABLE robots (
    origin     TEXT PRIMARY KEY,
    status     INTEGER NOT NULL,
    body       BLOB NOT NULL,
    fetched_at REAL NOT NULL,
    expires_at REAL NOT NULL
);
CREATE INDEX robots_expires ON robots (expires_at);

CREATE TABLE pages (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id      INTEGER NOT NULL,
    task_id     INTEGER NOT NULL,
    request_key BLOB NOT NULL CHECK (length(request_key) = 32),
    method      TEXT NOT NULL,
    url         TEXT NOT NULL,
    status      INTEGER NOT NULL,
    headers     TEXT NOT NULL,
    sha256      BLOB NOT NULL CHECK (length(sha256) = 32),
    fetched_at  REAL NOT NULL,
    UNIQUE (run_id, task_id, request_key)
);
CREATE INDEX pages_request ON pages (request_key, fetched_at);
CREATE INDEX pages_sha256 ON pages (sha256);
CREATE INDEX pages_fetched ON pages (fetched_at);

-- Compressed as `encoding` says, once however many pages have it. One that is without a page is
-- deleted, but not soon after `kept_at`: somebody may be about to add its page.
CREATE TABLE bodies (
    sha256       BLOB PRIMARY KEY CHECK (length(sha256) = 32),
    encoding     TEXT NOT NULL,
    size_bytes   INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    kept_at      REAL NOT NULL,
    content      BLOB NOT NULL
);
CREATE INDEX bodies_kept ON bodies (kept_at, sha256);
