"""The supervisor: keeps the wanted number of workers running in one place.

It knows no process, database or clock of its own: a placement starts and stops workers, and whoever
ticks it says what is wanted.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Final, NamedTuple

from swather.fleet.placement import End, Placement, WorkerEnded
from swather.fleet.seat import RestartPolicy, Seat, SeatState

# Workers that are added to a fleet have all been started after so long.
SCALED_SECONDS: Final = 2.0


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How a supervisor treats its workers.

    stagger_seconds  the least and the most between two starts when a fleet comes up, and between
                     two workers of a rolling restart
    grace_seconds    how long a worker may take to stop before it is killed
    kill_seconds     the same once it was told to stop now
    """

    stagger_seconds: tuple[float, float] = (2.0, 5.0)
    restart: RestartPolicy = field(default_factory=RestartPolicy)
    grace_seconds: float = 35.0
    kill_seconds: float = 3.0


class Happened(NamedTuple):
    """Something to log or to say; the levels are those of `logging`."""

    level: int
    text: str


class WorkerStanding(NamedTuple):
    """A seat as others see it. `since_seconds`: how long it has been in this state; `due_seconds`:
    until its worker is started, if it is to be.
    """

    number: int
    state: SeatState
    where: str
    since_seconds: float
    due_seconds: float | None
    crashes: int
    why: str


class Supervisor:
    """Belongs to one thread. `tick` does what is due now, and returns what has happened."""

    def __init__(
        self,
        placement: Placement,
        policy: Policy,
        *,
        clock: Callable[[], float] = monotonic,
        random: Random | None = None,
    ) -> None:
        self._placement = placement
        self._policy = policy
        self._clock = clock
        self._random = random or Random()
        self._seats: dict[int, Seat] = {}
        self._wanted: int | None = None
        self._next_start_at = 0.0
        self._longest_gap = float("inf")
        self._edition = 0
        self._is_rolling = False
        self._roll_at = 0.0
        self._stops = 0
        self._happened: list[Happened] = []

    @property
    def is_over(self) -> bool:
        """No worker runs, and none will be started soon."""
        if self._stops:
            return not any(seat.is_at_work for seat in self._seats.values())
        return bool(self._seats) and not any(seat.may_follow for seat in self._seats.values())

    @property
    def codes(self) -> frozenset[int]:
        """With which codes commands exit that the ends of these workers are the last word on."""
        return frozenset(seat.code for seat in self._seats.values() if not seat.is_at_work)

    @property
    def is_rolling(self) -> bool:
        return self._is_rolling

    def tick(self, wanted: int, *, restarts: int = 0, stops: int = 0) -> list[Happened]:
        """`wanted` workers shall run; `restarts`: how many rolling restarts were asked for so far;
        `stops`: 1 lets running targets finish, 2 does not, 3 kills.
        """
        now = self._clock()
        for ended in self._placement.ended():
            self._ended(ended, now)
        if stops > self._stops:
            self._stop(stops, now)
        for seat in self._seats.values():
            if seat.is_at_work and now >= seat.kill_at:
                self._placement.kill(seat.number)
        if not self._stops:
            self._scale(wanted, now)
            self._roll(restarts, now)
            self._start_due(now)
        happened, self._happened = self._happened, []
        return happened

    def standing(self) -> list[WorkerStanding]:
        now, running = self._clock(), self._placement.running()
        return [
            WorkerStanding(
                seat.number,
                seat.state,
                running.get(seat.number, ""),
                max(now - seat.since, 0.0) if seat.since else 0.0,
                max(seat.due_at - now, 0.0) if self._is_to_start(seat) else None,
                seat.crashes,
                seat.why,
            )
            for seat in sorted(self._seats.values(), key=lambda seat: seat.number)
        ]

    def forgive(self) -> None:
        """Work gets done, so crashes are the targets' fault."""
        for seat in self._seats.values():
            seat.forgive()

    def _is_to_start(self, seat: Seat) -> bool:
        waits = seat.state in (SeatState.WAITING, SeatState.CRASHING)
        return waits and not self._stops and seat.due_at < float("inf")

    def _ended(self, ended: WorkerEnded, now: float) -> None:
        number, end, why, code = ended
        seat = self._seats[number]
        seat.code = code
        if self._stops:
            seat.state, seat.why = SeatState.OVER, why
            self._say(logging.INFO, why)
        elif seat.state is SeatState.STOPPING:
            self._say(logging.WARNING if end is End.CRASHED else logging.INFO, why)
            if number >= (self._wanted or 0):
                del self._seats[number]
            else:
                seat.wait_until(now)
        else:
            seat.ended(end, why, now, self._policy.restart)
            self._tell_of_end(seat, end, now)
            if end in (End.CRASHED, End.REFUSED):
                self._give_up_rolling(seat)

    def _tell_of_end(self, seat: Seat, end: End, now: float) -> None:
        if end in (End.DONE, End.REPLACE):
            self._say(logging.INFO, seat.why)
        elif seat.state is SeatState.WAITING:
            pause = f"; it is restarted in {seat.due_at - now:.0f} s" if seat.due_at > now else ""
            self._say(logging.WARNING, f"{seat.why}{pause}")
        elif seat.state is SeatState.CRASHING:
            restarts = self._policy.restart.restarts
            self._say(
                logging.ERROR,
                f"{seat.why}; it was restarted {restarts} times and is not restarted "
                + ("again" if seat.due_at == float("inf") else "before its hour is over"),
            )
        else:
            self._say(logging.ERROR, f"{seat.why}; it is not restarted")

    def _stop(self, stops: int, now: float) -> None:
        self._stops = stops
        patience = {1: self._policy.grace_seconds, 2: self._policy.kill_seconds}.get(stops, 0.0)
        for seat in self._seats.values():
            if seat.is_at_work:
                seat.stopping(now, patience)
                self._placement.stop(seat.number, now=stops > 1)

    def _scale(self, wanted: int, now: float) -> None:
        if wanted == self._wanted:
            return
        before, self._wanted = self._wanted, wanted
        added = [number for number in range(wanted) if number not in self._seats]
        for number in added:
            self._seats[number] = Seat(number=number, due_at=now, edition=self._edition)
        if before is not None:
            self._say(logging.INFO, f"wanted workers: {wanted} instead of {before}")
            waiting = sum(seat.is_new for seat in self._seats.values())
            self._longest_gap = SCALED_SECONDS / max(waiting, 1)
            self._next_start_at = min(self._next_start_at, now)
        for number, seat in list(self._seats.items()):
            if number < wanted:
                continue
            if seat.state is SeatState.RUNNING:
                seat.stopping(now, self._policy.grace_seconds)
                self._placement.stop(number)
            elif seat.state is not SeatState.STOPPING:
                del self._seats[number]

    def _roll(self, restarts: int, now: float) -> None:
        """One worker after another is stopped and started again; the next one's turn comes when
        the new worker has run for a while.
        """
        if restarts > self._edition:
            self._edition, self._is_rolling, self._roll_at = restarts, True, now
            for seat in self._seats.values():
                if not seat.may_follow:
                    seat.forgive()
                    seat.wait_until(now)
        if not self._is_rolling or now < self._roll_at:
            return
        if any(seat.state is not SeatState.RUNNING for seat in self._seats.values()):
            return
        old = [seat for seat in self._seats.values() if seat.edition < self._edition]
        if not old:
            self._is_rolling = False
            self._say(logging.INFO, "all workers were restarted")
            return
        seat = min(old, key=lambda seat: seat.number)
        seat.stopping(now, self._policy.grace_seconds)
        self._placement.stop(seat.number)

    def _give_up_rolling(self, seat: Seat) -> None:
        """What does not run as one worker shall not replace the others."""
        if self._is_rolling and seat.edition == self._edition:
            self._is_rolling = False
            self._say(
                logging.ERROR,
                f"the restart ends here, since worker {seat.number} does not keep running; the "
                "workers that were not restarted yet go on as they are",
            )

    def _start_due(self, now: float) -> None:
        for seat in sorted(self._seats.values(), key=lambda seat: seat.number):
            if not seat.is_due(now) or (seat.is_new and now < self._next_start_at):
                continue
            gap = self._random.uniform(*self._policy.stagger_seconds)
            if seat.is_new:
                self._next_start_at = now + min(gap, self._longest_gap)
            if self._is_rolling:
                self._roll_at = now + gap
            self._placement.start(seat.number)
            seat.started(now, self._edition)
            where = self._placement.running().get(seat.number, "")
            self._say(logging.INFO, f"worker {seat.number} started{where and f': {where}'}")

    def _say(self, level: int, text: str) -> None:
        self._happened.append(Happened(level, text))
