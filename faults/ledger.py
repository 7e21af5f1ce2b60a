"""What was asked for, what was acknowledged, what ran: in files that no fault touches."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path


class Ledger:
    """`attempt` before an enqueue and `ack` after it, each durable before the next step."""

    def __init__(self, folder: Path) -> None:
        self._attempted = folder / "attempted"
        self._acknowledged = folder / "acknowledged"
        self.executed = folder / "executed"
        for path in (self._attempted, self._acknowledged, self.executed):
            path.touch()

    def attempt(self, keys: Iterable[str]) -> None:
        _append(self._attempted, keys)

    def acknowledge(self, keys: Iterable[str]) -> None:
        _append(self._acknowledged, keys)

    @property
    def attempted(self) -> set[str]:
        return set(self._attempted.read_text().split())

    @property
    def acknowledged(self) -> set[str]:
        return set(self._acknowledged.read_text().split())

    @property
    def executions(self) -> Counter[str]:
        lines = self.executed.read_text().splitlines()
        return Counter(line.split()[0] for line in lines if line)

    @property
    def pids(self) -> set[int]:
        """The processes in which anything has run."""
        lines = self.executed.read_text().splitlines()
        return {int(line.split()[1]) for line in lines if len(line.split()) == 2}


def _append(path: Path, keys: Iterable[str]) -> None:
    with path.open("a") as lines:
        lines.writelines(f"{key}\n" for key in keys)
        lines.flush()
        os.fsync(lines.fileno())
