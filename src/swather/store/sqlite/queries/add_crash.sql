INSERT INTO faults (task_id, run_id, token, crashes, at) VALUES (?, ?, 0, 1, ?)
ON CONFLICT (task_id) DO UPDATE SET crashes = crashes + 1, token = 0, at = excluded.at
