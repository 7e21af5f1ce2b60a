UPDATE faults SET attempts = 0, blocked = 0, proxy = 0, crashes = 0, crashes_alone = 0
WHERE task_id = ?
