from pathlib import Path

from swather.fleet.worker_logs import WorkerLogs
from swather.worker.watchdog import STACK_MARK


def test_new_lines_are_passed_on_but_for_the_stacks_of_a_stuck_worker(tmp_path: Path):
    log = tmp_path / "worker-0.log"
    log.write_text("before\n")
    said: list[str] = []
    logs = WorkerLogs(tmp_path, said.append)
    with log.open("a") as file:
        file.write(f"WARNING x.py:3 blocks\n{STACK_MARK}thread MainThread:\nnext\nunended")
    logs.pass_on()
    assert said == ["WARNING x.py:3 blocks", "next"]
