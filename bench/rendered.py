"""What pages cost in a browser: time, and the processor time of all processes that take part."""

import os
import time
from typing import Any

from bench.processes import family_cpu_seconds


class Rendered:
    """Counts pages as they end. The first few start the browser and are on nobody's clock."""

    def __init__(self, count: int, *, skipped: int) -> None:
        self._count = count
        self._skipped = skipped
        self._ended = 0
        self._marks: list[tuple[float, float]] = []

    def add_one(self) -> None:
        self._ended += 1
        if self._ended in {self._skipped, self._count}:
            self._marks.append((time.perf_counter(), family_cpu_seconds(os.getpid())))

    def answer(self) -> dict[str, Any]:
        assert self._ended == self._count, f"{self._ended} of {self._count} rendered"
        (began, spent_before), (ended, spent) = self._marks
        pages = self._count - self._skipped
        return {
            "pages_per_second": pages / (ended - began),
            "cpu_ms": 1_000 * (spent - spent_before) / pages,
        }
