"""Where the workers of a fleet run: what a supervisor asks of such a place."""

from enum import StrEnum
from typing import NamedTuple, Protocol


class Place(StrEnum):
    """LOCAL: processes of this machine. RAY: actors of a Ray cluster."""

    LOCAL = "local"
    RAY = "ray"


class End(StrEnum):
    """How a worker ended, as far as it matters to whoever may start another.

    DONE     there was nothing left for it to do
    STOPPED  it was asked to
    REPLACE  it asks to be replaced at once, and nothing is wrong with it
    AWAY     its database was away, which may pass
    CRASHED  it died, or got stuck
    REFUSED  another would end just the same: bad input, or an unusable database
    """

    DONE = "done"
    STOPPED = "stopped"
    REPLACE = "replace"
    AWAY = "away"
    CRASHED = "crashed"
    REFUSED = "refused"


class WorkerEnded(NamedTuple):
    """The worker with this number has ended; `why` is a sentence for people. `code`: with which a
    command exits that this was the last word on.
    """

    number: int
    end: End
    why: str
    code: int = 0


class Placement(Protocol):
    """Workers in one place, by their numbers: at most one of each number at a time.

    Called by one thread. Nothing here blocks for long: what takes time goes on by itself, and
    shows in `running` and `ended`.
    """

    def start(self, number: int) -> None:
        """A worker that cannot be started shows in `ended`."""

    def running(self) -> dict[int, str]:
        """Those that have not ended; number -> words for people: a process, an actor, a node."""

    def ended(self) -> list[WorkerEnded]:
        """Those that have ended since it was last called."""

    def stop(self, number: int, *, now: bool = False) -> None:
        """Let it finish its running targets, give back the rest, and end; with `now`, give back
        all. Unknown numbers are ignored.
        """

    def kill(self, number: int) -> None:
        """End it without asking."""

    def close(self) -> None:
        """Leave nothing behind; what still runs is killed."""
