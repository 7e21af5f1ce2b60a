INSERT INTO workers (
    name, kind, run_id, host, boot_id, namespace, pid, started, lease_seconds, expires_mono,
    strategy, version, registered_at, beat_at
)
VALUES (
    '', :kind, :run_id, :host, :boot_id, :namespace, :pid, :started, :lease_seconds, :expires_mono,
    :strategy, :version, :now, :now
)
RETURNING id
