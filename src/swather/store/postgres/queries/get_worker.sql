SELECT w.id, w.name, w.kind, w.state, r.name, w.host, w.boot_id, w.namespace, w.pid, w.started,
       w.lease_seconds, w.strategy, w.version, w.paused, w.cool_until, w.registered_at, w.beat_at,
       w.statistics, (SELECT count(*) FROM swather.leases WHERE worker_id = w.id)
FROM swather.workers AS w
LEFT JOIN swather.runs AS r ON r.id = w.run_id
WHERE w.id = %(worker_id)s
