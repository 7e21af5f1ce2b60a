INSERT INTO faults (task_id, run_id, token, replaces, at) VALUES (?, ?, 0, 1, ?)
ON CONFLICT (task_id) DO UPDATE SET replaces = 1
