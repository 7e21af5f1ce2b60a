WITH next AS MATERIALIZED (SELECT nextval('swather.workers_id_seq') AS id)
INSERT INTO swather.workers (
    id, name, kind, run_id, host, boot_id, namespace, pid, started, lease_seconds, expires_at,
    strategy, version, registered_at, beat_at
)
SELECT id, coalesce(%(name)s, %(stem)s || '_' || id), %(kind)s, %(run_id)s, %(host)s, %(boot_id)s,
       %(namespace)s, %(pid)s, %(started)s, %(lease_seconds)s,
       swather.clock() + %(lease_seconds)s * interval '1 second', %(strategy)s, %(version)s,
       swather.clock(), swather.clock()
FROM next
RETURNING id
