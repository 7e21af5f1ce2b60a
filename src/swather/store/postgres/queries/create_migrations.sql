CREATE SCHEMA IF NOT EXISTS swather;
CREATE TABLE swather.migrations (
    number integer PRIMARY KEY,
    name   text NOT NULL,
    at     timestamptz NOT NULL
);
