DELETE FROM ready WHERE head_id = ? AND priority = ? AND task_id BETWEEN ? AND ?
