SELECT id, host, boot_id, namespace, pid, started, expires_at <= swather.clock()
FROM swather.workers
WHERE state = 'live'
