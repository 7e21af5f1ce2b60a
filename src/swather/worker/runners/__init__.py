"""Ways to execute attempts: tasks on the loop, threads, child processes; and their instances."""
