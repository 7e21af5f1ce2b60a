-- What was asked of the sources of scrapers, by the hour. `name`: 'succeeded', 'failed', 'skipped',
-- 'seconds', 'count:…' for what the scraper counts, 'error:…' for the title of a failure.
CREATE TABLE swather.source_counts (
    scraper text NOT NULL,
    source  text NOT NULL,
    hour    timestamptz NOT NULL,
    run_id  bigint NOT NULL,
    name    text NOT NULL,
    n       float8 NOT NULL,
    PRIMARY KEY (scraper, source, hour, run_id, name)
) WITH (fillfactor = 50);
CREATE INDEX source_counts_run ON swather.source_counts (run_id);

-- A source has a row from its first failure to its next success. Its breaker is open until
-- `open_until`; then `prober`, a task and its token, is the only one to ask until `probing_until`.
CREATE TABLE swather.source_breakers (
    scraper       text NOT NULL,
    source        text NOT NULL,
    failures      integer NOT NULL,
    openings      integer NOT NULL DEFAULT 0,
    open_until    timestamptz,
    prober        text NOT NULL DEFAULT '',
    probing_until timestamptz,
    reason        text NOT NULL DEFAULT '',
    PRIMARY KEY (scraper, source)
) WITH (fillfactor = 50);
