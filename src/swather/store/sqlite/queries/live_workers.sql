SELECT id, name, host, boot_id, namespace, pid, started, expires_mono
FROM workers
WHERE state = 'live'
