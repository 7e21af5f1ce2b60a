-- Items and files, and which files have no name yet.

-- name: add_items
WITH added AS (
    INSERT INTO swather.items (run_id, task_id, part, seq, key, data)
    SELECT g.*
    FROM unnest(
        %(run_id)b::bigint[], %(task_id)b::bigint[], %(part)b::integer[], %(seq)b::integer[],
        %(key)b::text[], %(data)b::text[]
    ) AS g (run_id, task_id, part, seq, key, data)
    ON CONFLICT DO NOTHING
    RETURNING run_id
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'items', count(*) FROM added GROUP BY run_id

-- name: add_keyed_items
-- Ids are drawn in the given order; rows are inserted in order of the key, so that two writers of the
-- same keys lock them in one order.
WITH given AS MATERIALIZED (
    SELECT nextval('swather.items_id_seq') AS id, g.*
    FROM unnest(
        %(run_id)b::bigint[], %(task_id)b::bigint[], %(part)b::integer[], %(seq)b::integer[],
        %(key)b::text[], %(data)b::text[]
    ) AS g (run_id, task_id, part, seq, key, data)
),
added AS (
    INSERT INTO swather.items (id, run_id, task_id, part, seq, key, data)
    SELECT id, run_id, task_id, part, seq, key, data FROM given ORDER BY run_id, key, id
    ON CONFLICT DO NOTHING
    RETURNING id, run_id
),
inherited AS (
    INSERT INTO swather.item_heirs (run_id, key, task_id, part, seq)
    SELECT run_id, key, task_id, part, seq FROM given
    WHERE key IS NOT NULL AND id NOT IN (SELECT id FROM added)
    ON CONFLICT DO NOTHING
    RETURNING run_id
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'items', count(*) FROM added GROUP BY run_id
UNION ALL
SELECT run_id, 'duplicates', count(*) FROM inherited GROUP BY run_id

-- name: add_rejections
WITH added AS (
    INSERT INTO swather.rejections (run_id, task_id, part, reason, n)
    SELECT r.*
    FROM unnest(
        %(run_id)b::bigint[], %(task_id)b::bigint[], %(part)b::integer[], %(reason)b::text[],
        %(times)b::bigint[]
    ) AS r
    ON CONFLICT DO NOTHING
    RETURNING run_id, reason, n
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'rejected:' || reason, sum(n) FROM added GROUP BY run_id, reason

-- name: rejected_reasons
SELECT DISTINCT substr(name, 10) FROM swather.counters
WHERE run_id = %(run_id)s AND starts_with(name, 'rejected:')

-- name: add_files
WITH added AS (
    INSERT INTO swather.files (
        run_id, task_id, part, seq, name, sha256, size_bytes, media_type
    )
    SELECT f.*
    FROM unnest(
        %(run_id)b::bigint[], %(task_id)b::bigint[], %(part)b::integer[], %(seq)b::integer[],
        %(name)b::text[], %(sha256)b::text[], %(size_bytes)b::bigint[], %(media_type)b::text[]
    ) AS f
    ON CONFLICT DO NOTHING
    RETURNING run_id, task_id, part
),
unnamed AS (
    INSERT INTO swather.unlinked (task_id, part)
    SELECT DISTINCT task_id, part FROM added
    ON CONFLICT DO NOTHING
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'files', count(*) FROM added GROUP BY run_id

-- name: passed_on
-- An item that another task has produced, too, goes to that task.
WITH heirs AS (
    SELECT DISTINCT ON (i.id) i.id, h.run_id, h.key, h.task_id, h.part, h.seq
    FROM swather.items AS i
    JOIN swather.item_heirs AS h ON h.run_id = i.run_id AND h.key = i.key
    WHERE i.task_id = ANY(%(tasks)b::bigint[]) AND h.task_id <> ALL(%(tasks)b::bigint[])
    ORDER BY i.id, h.task_id
),
inheriting AS (
    DELETE FROM swather.item_heirs AS h
    USING heirs
    WHERE (h.run_id, h.key, h.task_id, h.part, h.seq)
        = (heirs.run_id, heirs.key, heirs.task_id, heirs.part, heirs.seq)
    RETURNING heirs.id, h.run_id, h.task_id, h.part, h.seq
),
inherited AS (
    UPDATE swather.items AS i SET task_id = n.task_id, part = n.part, seq = n.seq
    FROM inheriting AS n
    WHERE i.id = n.id
),
disinherited AS (
    DELETE FROM swather.item_heirs WHERE task_id = ANY(%(tasks)b::bigint[]) RETURNING run_id
),
old_rejections AS (
    DELETE FROM swather.rejections WHERE task_id = ANY(%(tasks)b::bigint[])
    RETURNING run_id, reason, n
),
fewer AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT run_id, 'rejected:' || reason, -sum(n) FROM old_rejections GROUP BY run_id, reason
    UNION ALL
    SELECT run_id, 'duplicates', -count(*)
    FROM (SELECT run_id FROM inheriting UNION ALL SELECT run_id FROM disinherited) AS d
    GROUP BY run_id
),

-- name: drop_replaced
-- include: passed_on
old_items AS (
    DELETE FROM swather.items
    WHERE task_id = ANY(%(tasks)b::bigint[]) AND id NOT IN (SELECT id FROM inheriting)
    RETURNING run_id
),
old_files AS (
    DELETE FROM swather.files WHERE task_id = ANY(%(tasks)b::bigint[]) RETURNING run_id
),
old_outdated AS (
    DELETE FROM swather.outdated_items WHERE task_id = ANY(%(tasks)b::bigint[]) RETURNING run_id
),
old_parts AS (
    DELETE FROM swather.unlinked WHERE task_id = ANY(%(tasks)b::bigint[])
),
old_checkpoints AS (
    DELETE FROM swather.checkpoints WHERE task_id = ANY(%(tasks)b::bigint[])
),
forgotten AS (
    UPDATE swather.faults SET replaces = false WHERE task_id = ANY(%(tasks)b::bigint[])
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, name, -count(*)
FROM (
    SELECT run_id, 'items' AS name FROM old_items
    UNION ALL
    SELECT run_id, 'files' FROM old_files
    UNION ALL
    SELECT run_id, 'outdated' FROM old_outdated
) AS o
GROUP BY run_id, name

-- name: set_aside
-- include: passed_on
old_items AS (
    DELETE FROM swather.items
    WHERE task_id = ANY(%(tasks)b::bigint[]) AND id NOT IN (SELECT id FROM inheriting)
    RETURNING id, run_id, task_id, part, seq, key, data
),
kept AS (
    INSERT INTO swather.outdated_items (id, run_id, task_id, part, seq, key, data)
    SELECT id, run_id, task_id, part, seq, key, data FROM old_items
    ON CONFLICT DO NOTHING
    RETURNING run_id
),
-- What replaces them drops them, too.
marked AS (
    INSERT INTO swather.faults (task_id, run_id, token, replaces, at)
    SELECT DISTINCT task_id, run_id, 0, true, (SELECT swather.clock()) FROM old_items
    ON CONFLICT (task_id) DO UPDATE SET replaces = true
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'items', -count(*) FROM old_items GROUP BY run_id
UNION ALL
SELECT run_id, 'outdated', count(*) FROM kept GROUP BY run_id

-- name: outdated_items
SELECT id, task_id, part, seq, key, data
FROM swather.outdated_items
WHERE run_id = %(run_id)s AND id > %(after)s
ORDER BY id
LIMIT %(limit)s

-- name: horizon
-- The number below which nothing more will be written here: the oldest transaction that still runs,
-- leaving out those of other databases, which cannot write to this one.
--
-- A transaction counts as another database's only if its backend holds the lock on its number and is
-- connected there. Backends are listed before the locks are: one that held its number from before
-- the snapshot until the locks were read was there in between, and no other had its pid.
-- Rows must be read by a later statement, which sees what has ended during this one.
SELECT CASE
    -- A standby's snapshot does not list the transactions that run on its primary.
    WHEN pg_is_in_recovery() THEN pg_snapshot_xmin(pg_current_snapshot())
    ELSE coalesce(
        (
            SELECT running.xid
            FROM pg_snapshot_xip(pg_current_snapshot()) AS running (xid)
            WHERE running.xid::xid <> ALL (ARRAY(
                SELECT locks.transactionid
                FROM (
                    SELECT array_agg(pid) AS pids
                    FROM pg_stat_get_activity(NULL)
                    WHERE datid <> (SELECT oid FROM pg_database WHERE datname = current_database())
                ) AS elsewhere
                CROSS JOIN LATERAL (
                    SELECT transactionid FROM pg_lock_status()
                    WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted
                      AND pid = ANY (elsewhere.pids)
                    OFFSET 0
                ) AS locks
                UNION ALL
                SELECT transaction FROM pg_prepared_xacts WHERE database <> current_database()
            ))
            AND pg_xact_status(running.xid) = 'in progress'
            ORDER BY running.xid
            LIMIT 1
        ),
        pg_snapshot_xmax(pg_current_snapshot())
    )
END::text

-- name: items
SELECT i.xid::text || ':' || i.id, i.task_id, i.part, i.seq, i.key, i.data,
       (SELECT o.state FROM swather.outcomes AS o WHERE o.task_id = i.task_id)
           IS DISTINCT FROM 'completed'
FROM swather.items AS i
WHERE i.run_id = %(run_id)s AND (i.xid, i.id) > (%(xid)s::text::xid8, %(id)s)
  AND i.xid < %(horizon)s::text::xid8
ORDER BY i.xid, i.id
LIMIT %(limit)s

-- name: completed_items
SELECT i.xid::text || ':' || i.id, i.task_id, i.part, i.seq, i.key, i.data, false
FROM swather.items AS i
WHERE i.run_id = %(run_id)s AND (i.xid, i.id) > (%(xid)s::text::xid8, %(id)s)
  AND i.xid < %(horizon)s::text::xid8
  AND (SELECT o.state FROM swather.outcomes AS o WHERE o.task_id = i.task_id) = 'completed'
ORDER BY i.xid, i.id
LIMIT %(limit)s

-- name: newest_items
SELECT i.xid::text || ':' || i.id, i.task_id, i.part, i.seq, i.key, i.data,
       (SELECT o.state FROM swather.outcomes AS o WHERE o.task_id = i.task_id)
           IS DISTINCT FROM 'completed'
FROM swather.items AS i
WHERE i.run_id = %(run_id)s AND (i.xid, i.id) < (%(xid)s::text::xid8, %(id)s)
ORDER BY i.xid DESC, i.id DESC
LIMIT %(limit)s

-- name: last_item_to_search
SELECT xid::text || ':' || id
FROM swather.items
WHERE run_id = %(run_id)s AND (xid, id) < (%(xid)s::text::xid8, %(id)s)
ORDER BY xid DESC, id DESC
LIMIT 1 OFFSET %(scan)s - 1

-- name: search_items
SELECT i.xid::text || ':' || i.id, i.task_id, i.part, i.seq, i.key, i.data,
       (SELECT o.state FROM swather.outcomes AS o WHERE o.task_id = i.task_id)
           IS DISTINCT FROM 'completed'
FROM swather.items AS i
WHERE i.run_id = %(run_id)s AND (i.xid, i.id) < (%(xid)s::text::xid8, %(id)s)
  AND (i.xid, i.id) >= (%(stop_xid)s::text::xid8, %(stop_id)s)
  AND strpos(lower(i.data COLLATE "C"), %(text)s COLLATE "C") > 0
ORDER BY i.xid DESC, i.id DESC
LIMIT %(limit)s

-- name: items_of_task
SELECT i.xid::text || ':' || i.id, i.task_id, i.part, i.seq, i.key, i.data,
       (SELECT o.state FROM swather.outcomes AS o WHERE o.task_id = i.task_id)
           IS DISTINCT FROM 'completed'
FROM swather.items AS i
WHERE i.task_id = %(task_id)s
ORDER BY i.part, i.seq
LIMIT %(limit)s

-- name: files_of_task
SELECT xid::text || ':' || id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM swather.files
WHERE task_id = %(task_id)s
ORDER BY part, seq
LIMIT %(limit)s

-- name: newest_files
SELECT xid::text || ':' || id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM swather.files
WHERE run_id = %(run_id)s AND (xid, id) < (%(xid)s::text::xid8, %(id)s)
ORDER BY xid DESC, id DESC
LIMIT %(limit)s

-- name: get_file
SELECT xid::text || ':' || id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM swather.files
WHERE run_id = %(run_id)s AND xid = %(xid)s::text::xid8 AND id = %(id)s

-- name: files
SELECT xid::text || ':' || id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM swather.files
WHERE run_id = %(run_id)s AND (xid, id) > (%(xid)s::text::xid8, %(id)s)
  AND xid < %(horizon)s::text::xid8
ORDER BY xid, id
LIMIT %(limit)s

-- name: has_file
SELECT EXISTS (SELECT FROM swather.files WHERE sha256 = %(sha256)s)

-- name: unlinked
SELECT u.task_id, u.part, f.run_id, f.name, f.sha256, f.size_bytes, f.media_type
FROM (
    SELECT task_id, part FROM swather.unlinked
    WHERE (task_id, part) > (%(task_id)s, %(part)s)
    ORDER BY task_id, part
    LIMIT %(limit)s
) AS u
JOIN swather.files AS f ON f.task_id = u.task_id AND f.part = u.part
ORDER BY u.task_id, u.part, f.seq

-- name: linked
DELETE FROM swather.unlinked AS u
USING unnest(%(tasks)b::bigint[], %(parts)b::integer[]) AS l (task_id, part)
WHERE u.task_id = l.task_id AND u.part = l.part

-- name: restored_runs
-- Runs whose items or files bear transaction numbers that this server has not reached: they were
-- restored from another server's backup, and would not be read.
SELECT r.id, r.name
FROM swather.runs AS r
WHERE pg_snapshot_xmax(pg_current_snapshot()) <= (
    SELECT xid FROM swather.items WHERE run_id = r.id ORDER BY xid DESC LIMIT 1
)
OR pg_snapshot_xmax(pg_current_snapshot()) <= (
    SELECT xid FROM swather.files WHERE run_id = r.id ORDER BY xid DESC LIMIT 1
)

-- name: adopt_items
UPDATE swather.items SET xid = '0' WHERE run_id = %(run_id)s

-- name: adopt_files
UPDATE swather.files SET xid = '0' WHERE run_id = %(run_id)s

-- name: identities
SELECT id, key, target FROM swather.tasks WHERE id = ANY(%(tasks)b::bigint[])

-- name: counterparts
WITH RECURSIVE line (task_id, depth, parent_id, found) AS (
    SELECT t.id, 0, t.parent_id,
           (SELECT s.id FROM swather.tasks AS s WHERE s.run_id = %(run_id)s AND s.key = t.key)
    FROM swather.tasks AS t
    WHERE t.id = ANY(%(tasks)b::bigint[])
    UNION ALL
    SELECT l.task_id, l.depth + 1, t.parent_id,
           (SELECT s.id FROM swather.tasks AS s WHERE s.run_id = %(run_id)s AND s.key = t.key)
    FROM line AS l
    CROSS JOIN LATERAL (
        SELECT p.parent_id, p.key FROM swather.tasks AS p WHERE p.id = l.parent_id LIMIT 1
    ) AS t
    WHERE l.found IS NULL AND l.depth < %(most)s
),
last AS (
    SELECT DISTINCT ON (task_id) task_id, depth, found FROM line ORDER BY task_id, depth DESC
)
SELECT l.task_id, l.found IS NOT NULL, l.depth, o.state, o.reason,
       EXISTS (
           SELECT FROM swather.items AS i
           WHERE i.task_id = l.found AND (i.xid, i.id) > (%(xid)s::text::xid8, %(id)s)
       )
FROM last AS l
LEFT JOIN LATERAL (
    SELECT e.state, e.reason FROM swather.outcomes AS e WHERE e.task_id = l.found LIMIT 1
) AS o ON true

-- name: also_found_by
SELECT k.key, h.task_id
FROM unnest(%(keys)b::text[]) AS k (key)
CROSS JOIN LATERAL (
    SELECT i.task_id FROM swather.item_heirs AS i
    WHERE i.run_id = %(run_id)s AND i.key = k.key
    LIMIT %(limit)s
) AS h
