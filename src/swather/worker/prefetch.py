"""How many leases to hold beyond the free slots, so that no slot waits for a commit."""

from typing import Final

HORIZON_SECONDS: Final = 0.05
MAX_PREFETCH: Final = 2_000
_FIRST: Final = 64
_WEIGHT: Final = 0.1


class Prefetch:
    """As many as the slots will start within the horizon: many for quick tasks, none for slow ones.

    `at_most` 0 switches it off. It grows step by step, since the first tasks may not be typical.
    """

    def __init__(self, at_most: int = MAX_PREFETCH) -> None:
        self._at_most = at_most
        self._seconds: float | None = None
        self._allowed = 0
        self._limited = False

    def observe(self, seconds: float) -> None:
        """A task has taken `seconds`."""
        if self._seconds is None:
            self._seconds = seconds
        else:
            self._seconds += _WEIGHT * (seconds - self._seconds)

    def stalled(self) -> None:
        """Nothing has begun for a while: tasks are slow until quick ones show otherwise."""
        self._seconds = max(self._seconds or 0.0, 1.0)

    def claimed(self, *, limited: bool) -> None:
        """What its lane paces is not worth holding: a start is paid for when it is claimed."""
        self._limited = limited

    def target(self, slots: int) -> int:
        if self._seconds is None or self._limited:
            return 0
        wanted = min(int(slots * HORIZON_SECONDS / max(self._seconds, 1e-6)), self._at_most)
        self._allowed = min(wanted, max(_FIRST, 4 * self._allowed))
        return self._allowed
