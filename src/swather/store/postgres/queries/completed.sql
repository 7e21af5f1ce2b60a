SELECT task_id, token FROM done
