-- What was asked of the sources of scrapers, by the hour. `name`: 'succeeded', 'failed', 'skipped',
-- 'seconds', 'count:…' for what the scraper counts, 'error:…' for the title of a failure.
CREATE TABLE source_counts (
    scraper TEXT NOT NULL,
    source  TEXT NOT NULL,
    hour    REAL NOT NULL,
    run_id  INTEGER NOT NULL,
    name    TEXT NOT NULL,
    n       REAL NOT NULL,
    PRIMARY KEY (scraper, source, hour, run_id, name)
);
CREATE INDEX source_counts_run ON source_counts (run_id);

-- A source has a row from its first failure to its next success. Its breaker is open until
-- `open_until`; then `prober`, a task and its token, is the only one to ask until `probing_until`.
CREATE TABLE source_breakers (
    scraper       TEXT NOT NULL,
    source        TEXT NOT NULL,
    failures      INTEGER NOT NULL,
    openings      INTEGER NOT NULL DEFAULT 0,
    open_until    REAL,
    prober        TEXT NOT NULL DEFAULT '',
    probing_until REAL,
    reason        TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (scraper, source)
) WITHOUT ROWID;
