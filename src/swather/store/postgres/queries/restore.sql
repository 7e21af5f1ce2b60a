-- Before and after the statements of a backup, for psql. No twin: SQLite copies pages.
-- Without the end, nothing is committed.

-- name: begin_restore
BEGIN;
SET LOCAL lock_timeout = '30s';
DO $$
BEGIN
    IF to_regclass('swather.tokens') IS NOT NULL THEN
        PERFORM set_config('swather.last_token', last_value::text, true) FROM swather.tokens;
    END IF;
END
$$;
DROP SCHEMA IF EXISTS swather CASCADE;

-- name: end_restore
-- No token is given twice: a worker of before, if any is left, holds an old one.
SELECT setval('swather.tokens', greatest(
    last_value, nullif(current_setting('swather.last_token', true), '')::bigint
)) FROM swather.tokens;
COMMIT;
