"""Counts and marks what jobs were executed, over all processes, and over a kill -9.

Whoever runs jobs writes into files of its own in the folder BENCH_FOLDER; whoever measures reads
them. What a process wrote stays written when it is killed.
"""

import mmap
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "BENCH_FOLDER"
BUCKET_NS = 20_000_000
SLOTS = 16_384
FIRST, LAST, TOTAL, BUCKETS = 0, 1, 2, 3


class Tally:
    """Of one process: when its first and last job was, and how many in each 20 ms since boot."""

    def __init__(self, folder: Path) -> None:
        self.process = os.getpid()
        path = folder / f"new-{self.process}"
        path.write_bytes(bytes(8 * SLOTS))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        path.rename(folder / f"tally-{self.process}")
        self._cells = memoryview(self._map).cast("Q")
        self._lock = threading.Lock()

    def count(self) -> None:
        now = time.monotonic_ns()
        with self._lock:
            cells = self._cells
            if not cells[FIRST]:
                cells[FIRST] = now
            cells[LAST] = now
            cells[TOTAL] += 1
            # Wraps round after five minutes; no measurement takes as long.
            cells[BUCKETS + now // BUCKET_NS % (SLOTS - BUCKETS)] += 1


class Marks:
    """Lines of one process, each written at once."""

    def __init__(self, folder: Path, name: str) -> None:
        self.process = os.getpid()
        path = folder / f"{name}-{self.process}"
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(self, text: str) -> None:
        os.write(self._file, f"{text}\n".encode())


@dataclass(frozen=True)
class Counted:
    """What all processes together have done so far."""

    jobs: int
    rate: float


_tally: Tally | None = None
_marks: dict[str, Marks] = {}
_opening = threading.Lock()


def count() -> None:
    """One more job was done, in this process."""
    global _tally  # noqa: PLW0603 - one per process, also after a fork
    if _tally is None or _tally.process != os.getpid():
        with _opening:
            if _tally is None or _tally.process != os.getpid():
                _tally = Tally(Path(os.environ[VARIABLE]))
    _tally.count()


def mark(name: str, text: str) -> None:
    """Write a line about a job, for good."""
    held = _marks.get(name)
    if held is None or held.process != os.getpid():
        held = _marks[name] = Marks(Path(os.environ[VARIABLE]), name)
    held.write(text)


def read_total(folder: Path) -> int:
    """The number of jobs so far, at little cost."""
    total = 0
    for path in folder.glob("tally-*"):
        with path.open("rb") as file:
            total += memoryview(file.read(8 * BUCKETS)).cast("Q")[TOTAL]
    return total


def read_counts(folder: Path) -> Counted:
    """The number of jobs, and their rate while every process was at work."""
    tallies = []
    for path in folder.glob("tally-*"):
        cells = memoryview(path.read_bytes()).cast("Q")
        if cells[FIRST]:
            tallies.append(cells)
    jobs = sum(cells[TOTAL] for cells in tallies)
    if not tallies:
        return Counted(0, 0.0)
    begin, end = max(c[FIRST] for c in tallies), min(c[LAST] for c in tallies)
    if end <= begin:
        raise RuntimeError("some had ended before others began")
    # Jobs that end together, as those of ten slots do, are one burst in one bucket: without the
    # first burst and with the last one, the rate is that of whole rounds.
    inside = sum(
        cells[BUCKETS + bucket % (SLOTS - BUCKETS)]
        for cells in tallies
        for bucket in range(begin // BUCKET_NS + 1, end // BUCKET_NS + 1)
    )
    return Counted(jobs, inside / max((end - begin) / 1e9, 1e-9))


def read_ends(folder: Path, seconds: float, window: float) -> tuple[float, float]:
    """Jobs per second in the first and in the last window of this time, or of what there was."""
    (path,) = folder.glob("tally-*")
    cells = memoryview(path.read_bytes()).cast("Q")
    begin, end = cells[FIRST], min(cells[LAST], cells[FIRST] + int(seconds * 1e9))
    buckets = int(window * 1e9) // BUCKET_NS

    def rate(first: int) -> float:
        slots = (BUCKETS + bucket % (SLOTS - BUCKETS) for bucket in range(first, first + buckets))
        return sum(cells[slot] for slot in slots) / (buckets * BUCKET_NS / 1e9)

    return rate(begin // BUCKET_NS + 1), rate(end // BUCKET_NS - buckets)


def read_marks(folder: Path, name: str) -> list[str]:
    lines: list[str] = []
    for path in folder.glob(f"{name}-*"):
        lines += path.read_text().splitlines()
    return lines
