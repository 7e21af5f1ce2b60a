SELECT key FROM tasks WHERE run_id = ? AND key = ?
