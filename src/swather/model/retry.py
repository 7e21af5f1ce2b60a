"""Retries: whether and when a failed attempt is repeated."""

from enum import StrEnum
from random import Random
from typing import Final

import msgspec

from swather.errors import InputError


class ErrorClass(StrEnum):
    """The classes of errors; each has its own budget."""

    PERMANENT = "permanent"
    TRANSIENT = "transient"
    TIMEOUT = "timeout"
    BLOCKED = "blocked"
    PROXY = "proxy"
    CRASH = "crash"
    LATER = "later"


SPENDS_ATTEMPTS: Final = frozenset({ErrorClass.PERMANENT, ErrorClass.TRANSIENT, ErrorClass.TIMEOUT})
# Their budgets count what follows the first execution; the others count failures.
_SPENT_AFTERWARDS: Final = SPENDS_ATTEMPTS | {ErrorClass.LATER}


class Backoff(msgspec.Struct, frozen=True):
    """delay = factor ** attempts seconds, at most `cap_seconds`; jitter only lengthens it."""

    factor: float = 2.0
    cap_seconds: float = 300.0
    jitter: float = 0.1

    def __post_init__(self) -> None:
        if not self.factor >= 1:
            raise InputError(f"a backoff factor must be at least 1, got {self.factor!r}")
        if not self.cap_seconds >= 0:
            raise InputError(f"a backoff cap must not be negative, got {self.cap_seconds!r}")
        if not 0 <= self.jitter <= 1:
            raise InputError(f"jitter must be between 0 and 1, got {self.jitter!r}")

    def delay_seconds(self, attempts: int, random: Random) -> float:
        try:
            delay = min(self.factor**attempts, self.cap_seconds)
        except OverflowError:
            delay = self.cap_seconds
        return min(delay * (1 + self.jitter * random.random()), self.cap_seconds)


class Faults(msgspec.Struct, frozen=True):
    """How often a task has failed so far, by budget.

    `crashes` counts lost leases and dead children, `crashes_alone` only those that no other task
    can have caused: the death of a child that ran nothing else, a loop that this task blocked.
    `postponed` counts how often its scraper asked for another time, which is no failure. `avoids`
    are the keys of egresses that have failed it, each after a space.
    """

    attempts: int = 0
    blocked: int = 0
    proxy: int = 0
    crashes: int = 0
    crashes_alone: int = 0
    postponed: int = 0
    avoids: str = ""

    def plus(self, error_class: ErrorClass, *, alone: bool = True) -> "Faults":
        match error_class:
            case ErrorClass.BLOCKED:
                return msgspec.structs.replace(self, blocked=self.blocked + 1)
            case ErrorClass.PROXY:
                return msgspec.structs.replace(self, proxy=self.proxy + 1)
            case ErrorClass.CRASH:
                return msgspec.structs.replace(
                    self,
                    crashes=self.crashes + 1,
                    crashes_alone=self.crashes_alone + alone,
                )
            case ErrorClass.LATER:
                return msgspec.structs.replace(self, postponed=self.postponed + 1)
            case ErrorClass.PERMANENT | ErrorClass.TRANSIENT | ErrorClass.TIMEOUT:
                return msgspec.structs.replace(self, attempts=self.attempts + 1)


class Budgets(msgspec.Struct, frozen=True):
    """`retries` executions after the first; the others count failures of their own class."""

    retries: int = 3
    blocked: int = 10
    proxy: int = 10
    crashes: int = 3
    postponed: int = 100

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 0:
                raise InputError(f"{name} must not be negative, got {getattr(self, name)!r}")


class Again(msgspec.Struct, frozen=True):
    """Make another attempt after `after_seconds`."""

    after_seconds: float


class GiveUp(msgspec.Struct, frozen=True):
    """No further attempt; `reason` is the task's end. `exhausted`: a retry budget is spent."""

    reason: str
    exhausted: bool = False


def decide(
    error_class: ErrorClass,
    faults: Faults,
    *,
    budgets: Budgets,
    backoff: Backoff,
    random: Random,
    reason: str | None = None,
    after_seconds: float | None = None,
) -> Again | GiveUp:
    """What follows a failure, `faults` already counting it.

    `after_seconds` (a Retry-After, say) replaces the backoff; `reason` names a permanent end.
    """
    if error_class is ErrorClass.PERMANENT:
        return GiveUp(reason or "permanent")
    spent, budget = _spent_and_budget(error_class, faults, budgets)
    if spent > budget or (spent == budget and error_class not in _SPENT_AFTERWARDS):
        is_retried = error_class is not ErrorClass.LATER
        return GiveUp(reason or error_class.value, exhausted=is_retried and spent > 1)
    if after_seconds is not None:
        return Again(max(after_seconds, 0.0))
    return Again(backoff.delay_seconds(spent, random))


def _spent_and_budget(error_class: ErrorClass, faults: Faults, budgets: Budgets) -> tuple[int, int]:
    match error_class:
        case ErrorClass.BLOCKED:
            return faults.blocked, budgets.blocked
        case ErrorClass.PROXY:
            return faults.proxy, budgets.proxy
        case ErrorClass.CRASH:
            return faults.crashes_alone, budgets.crashes
        case ErrorClass.LATER:
            return faults.postponed, budgets.postponed
        case ErrorClass.PERMANENT | ErrorClass.TRANSIENT | ErrorClass.TIMEOUT:
            return faults.attempts, budgets.retries
