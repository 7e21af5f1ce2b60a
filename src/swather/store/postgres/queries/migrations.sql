-- Migrations that were applied. No twin: a SQLite file has their number in its header.

-- name: lacks_tables
SELECT to_regclass('swather.migrations') IS NULL

-- name: schema_version
SELECT coalesce(max(number), 0) FROM swather.migrations

-- name: create_migrations
CREATE SCHEMA IF NOT EXISTS swather;
CREATE TABLE swather.migrations (
    number integer PRIMARY KEY,
    name   text NOT NULL,
    at     timestamptz NOT NULL
);

-- name: add_migration
INSERT INTO swather.migrations (number, name, at) VALUES (%(number)s, %(name)s, now())
