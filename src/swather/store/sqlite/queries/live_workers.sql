SELECT id, name, kind, run_id, host, boot_id, namespace, pid, started, expires_mono
FROM workers
WHERE state = 'live'
