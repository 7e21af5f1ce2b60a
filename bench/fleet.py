"""A fleet as `swather fleet up` starts it, and the times at which its targets were done."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import swather.store
from bench import driver, tally
from bench.environment import OURS
from bench.processes import members
from swather.model.worker import WorkerKind

SWATHER = OURS.with_name("swather")
START_SECONDS = 300.0
LOOK_SECONDS = 0.1


@contextmanager
def fleet(directory: Path, url: str, code: str, workers: int) -> Iterator[list[int]]:
    """The processes of its workers, of one slot each, once all of them are there; `directory` has
    the settings, and gets what they write.
    """
    command = [
        SWATHER, "fleet", "up", code, "--workers", str(workers), "--concurrency", "1", "--yes",
        "--db", url,
    ]  # fmt: skip
    variables = driver.environment(
        **{tally.VARIABLE: str(directory), "SWATHER_STAGGER_SECONDS": "0"}
    )
    with (directory / "log").open("wb") as log, subprocess.Popen(
        command, cwd=directory, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            yield _all_of(directory, url, workers, process)
        finally:
            # What they did has been written down; how gently they stop is not measured.
            for pid in members([process.pid]):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def enqueue(directory: Path, url: str, code: str, targets: Path) -> None:
    command = [SWATHER, "enqueue", code, "--targets", targets, "--db", url]
    done = subprocess.run(
        command,
        cwd=directory,
        env=driver.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"swather enqueue ended with {done.returncode}: {done.stderr[-2000:]}")


def done_at(directory: Path) -> list[float]:
    """When each target was done, in seconds on the monotonic clock."""
    return sorted(int(mark) / 1e9 for mark in tally.read_marks(directory, "done"))


def wait_until(holds: Callable[[], bool], what: str, seconds: float) -> None:
    give_up_at = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > give_up_at:
            raise RuntimeError(f"{what}: not within {seconds:.0f} s")
        time.sleep(LOOK_SECONDS)


def _all_of(directory: Path, url: str, workers: int, process: subprocess.Popen[bytes]) -> list[int]:
    def pids() -> list[int]:
        if process.poll() is not None:
            said = (directory / "log").read_text(errors="replace")[-3_000:]
            raise RuntimeError(f"swather fleet up ended with {process.returncode}:\n{said}")
        live = store.workers.find()
        return [one.process.pid for one in live if one.kind is WorkerKind.WORKER]

    store = swather.store.open(url)
    try:
        wait_until(lambda: len(pids()) == workers, f"{workers} workers", START_SECONDS)
        return pids()
    finally:
        store.close()
