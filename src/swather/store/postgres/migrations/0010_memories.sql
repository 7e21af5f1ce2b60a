-- What scrapers remember across their runs, by scraper and key. `at`: when it was last remembered.
CREATE TABLE swather.memories (
    scraper text NOT NULL,
    key     text NOT NULL,
    value   text NOT NULL,
    at      timestamptz NOT NULL,
    PRIMARY KEY (scraper, key)
);
