WITH saved AS (
    UPDATE swather.leases SET progress = %(progress)s
    WHERE task_id = %(task_id)s AND token = %(token)s
    RETURNING run_id, task_id, worker_id
),
logged AS (
    INSERT INTO swather.events (at, kind, run_id, task_id, worker_id, message)
    SELECT swather.clock(), 'progress', run_id, task_id, worker_id, %(said)s
    FROM saved
    WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
)
SELECT task_id FROM saved
