"""A seat of a fleet: a worker number, whether its worker runs, and when the next may start."""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from swather.fleet.placement import End

# Pauses before a restart double as often as this.
_MAX_DOUBLINGS: Final = 4
_AWAY_PAUSE_SECONDS: Final = 2.0


class SeatState(StrEnum):
    """WAITING to be started; RUNNING; STOPPING because it was asked to; CRASHING: it has crashed
    too often, and is left alone for a time; OVER: no other worker follows.
    """

    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    CRASHING = "crashed too often"
    OVER = "over"


@dataclass(frozen=True, kw_only=True)
class RestartPolicy:
    """After a crash: a pause that doubles, and at most `restarts` within `window_seconds`."""

    restarts: int = 5
    window_seconds: float = 3_600.0
    pause_seconds: float = 1.0


@dataclass(kw_only=True)
class Seat:
    """All times are those of one monotonic clock. `edition`: of the code its worker runs, counted
    by rolling restarts; `is_new`: no worker has had this seat yet.
    """

    number: int
    due_at: float
    edition: int
    state: SeatState = SeatState.WAITING
    since: float = 0.0
    kill_at: float = float("inf")
    crashes: int = 0
    why: str = ""
    code: int = 0
    is_new: bool = True
    restarted_at: deque[float] = field(default_factory=deque)

    @property
    def is_at_work(self) -> bool:
        return self.state in (SeatState.RUNNING, SeatState.STOPPING)

    @property
    def may_follow(self) -> bool:
        """Whether anything can still be expected of it soon."""
        return self.state not in (SeatState.CRASHING, SeatState.OVER)

    def is_due(self, now: float) -> bool:
        return self.state in (SeatState.WAITING, SeatState.CRASHING) and self.due_at <= now

    def started(self, now: float, edition: int) -> None:
        self.state, self.since, self.edition = SeatState.RUNNING, now, edition
        self.kill_at, self.is_new, self.why = float("inf"), False, ""

    def stopping(self, now: float, patience_seconds: float) -> None:
        if self.state is not SeatState.STOPPING:
            self.state, self.since = SeatState.STOPPING, now
        self.kill_at = min(self.kill_at, now + patience_seconds)

    def wait_until(self, due_at: float) -> None:
        self.state, self.due_at = SeatState.WAITING, due_at

    def ended(self, end: End, why: str, now: float, policy: RestartPolicy) -> None:
        """Of itself, without having been asked."""
        self.why, self.since = why, now
        match end:
            case End.DONE | End.REFUSED:
                self.state = SeatState.OVER
            case End.REPLACE:
                self.wait_until(now)
            case End.AWAY:
                self.wait_until(now + _AWAY_PAUSE_SECONDS)
            case End.CRASHED | End.STOPPED:
                self._crashed(now, policy)

    def _crashed(self, now: float, policy: RestartPolicy) -> None:
        recent = self.restarted_at
        while recent and recent[0] <= now - policy.window_seconds:
            recent.popleft()
        doublings = min(self.crashes, _MAX_DOUBLINGS)
        self.crashes += 1
        if len(recent) < policy.restarts:
            recent.append(now)
            self.wait_until(now + policy.pause_seconds * 2**doublings)
            return
        self.state = SeatState.CRASHING
        # The restart that it makes then takes the place of the oldest one.
        self.due_at = (recent.popleft() if recent else now) + policy.window_seconds
        recent.append(self.due_at)

    def forgive(self) -> None:
        """Crashes so far no longer count; the pause before the next start stays."""
        self.restarted_at.clear()
