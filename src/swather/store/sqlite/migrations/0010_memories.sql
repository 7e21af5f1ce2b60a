-- What scrapers remember across their runs, by scraper and key. `at`: when it was last remembered.
CREATE TABLE memories (
    scraper TEXT NOT NULL,
    key     TEXT NOT NULL,
    value   TEXT NOT NULL,
    at      REAL NOT NULL,
    PRIMARY KEY (scraper, key)
);
