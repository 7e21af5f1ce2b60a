-- Migrations that were applied.

-- name: create_migrations
CREATE SCHEMA IF NOT EXISTS swather;
CREATE TABLE swather.migrations (
    number integer PRIMARY KEY,
    name   text NOT NULL,
    at     timestamptz NOT NULL
);

-- name: add_migration
INSERT INTO swather.migrations (number, name, at) VALUES (%(number)s, %(name)s, now())
