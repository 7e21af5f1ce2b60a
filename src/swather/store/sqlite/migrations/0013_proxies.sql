-- The pool. `key` is the URL without user and password, with a digest of both. Tags are separated by
-- commas. Enough `failures` in a row blacklist a proxy: it has a `retry_at` until a probe after that
-- time succeeds. Nobody else may probe before `probing_until`.
CREATE TABLE proxies (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    key             TEXT NOT NULL UNIQUE,
    url             TEXT NOT NULL,
    tags            TEXT NOT NULL DEFAULT '',
    country         TEXT NOT NULL DEFAULT '',
    weight          REAL NOT NULL DEFAULT 1,
    enabled         INTEGER NOT NULL DEFAULT 1,
    added_at        REAL NOT NULL,
    successes       INTEGER NOT NULL DEFAULT 0,
    faults_proxy    INTEGER NOT NULL DEFAULT 0,
    faults_banned   INTEGER NOT NULL DEFAULT 0,
    faults_timeout  INTEGER NOT NULL DEFAULT 0,
    faults_network  INTEGER NOT NULL DEFAULT 0,
    latency_seconds REAL,
    last_error      TEXT NOT NULL DEFAULT '',
    last_used_at    REAL,
    failures        INTEGER NOT NULL DEFAULT 0,
    retry_at        REAL,
    blacklistings   INTEGER NOT NULL DEFAULT 0,
    probing_until   REAL
);

-- The same for a proxy on one site.
CREATE TABLE proxy_sites (
    proxy_id        INTEGER NOT NULL,
    site            TEXT NOT NULL,
    successes       INTEGER NOT NULL,
    faults_proxy    INTEGER NOT NULL,
    faults_banned   INTEGER NOT NULL,
    faults_timeout  INTEGER NOT NULL,
    faults_network  INTEGER NOT NULL,
    latency_seconds REAL,
    last_error      TEXT NOT NULL,
    last_used_at    REAL,
    failures        INTEGER NOT NULL,
    retry_at        REAL,
    blacklistings   INTEGER NOT NULL,
    probing_until   REAL,
    PRIMARY KEY (proxy_id, site)
);
CREATE INDEX proxy_sites_blacklisted ON proxy_sites (proxy_id) WHERE retry_at IS NOT NULL;

-- The lists in which a proxy is, and what each says of it. One that is in none is deleted.
CREATE TABLE proxy_sources (
    source     TEXT NOT NULL,
    proxy_id   INTEGER NOT NULL,
    tags       TEXT NOT NULL,
    country    TEXT NOT NULL,
    weight     REAL,
    changed_at REAL NOT NULL,
    PRIMARY KEY (source, proxy_id)
) WITHOUT ROWID;
CREATE INDEX proxy_sources_proxy ON proxy_sources (proxy_id);

-- A worker's right to a proxy for itself alone.
CREATE TABLE proxy_leases (
    proxy_id  INTEGER PRIMARY KEY,
    worker_id INTEGER NOT NULL
);
CREATE INDEX proxy_leases_worker ON proxy_leases (worker_id);

-- One row. `version` grows with every change after which workers may use other proxies than before.
CREATE TABLE proxy_pool (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL DEFAULT 0
);
INSERT INTO proxy_pool (id) VALUES (1);
