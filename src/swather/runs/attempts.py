"""Several things that a person asked for at once: one that fails does not keep the others from
being done, and all that were done are told.
"""

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from swather.errors import InputError, NotFound, ServerRefused, SwatherError

T = TypeVar("T")


class Attempts(NamedTuple, Generic[T]):
    """What came of each that was done, and why the others were not."""

    done: list[T]
    errors: list[SwatherError]

    def check(self) -> None:
        """Raise what went wrong, if anything did: to be called once `done` was told."""
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            raise InputError("; ".join(map(str, self.errors)))


def attempt(calls: Iterable[Callable[[], T]]) -> Attempts[T]:
    """Make all calls. Only a refusal is kept for later: a database that is away ends it."""
    attempts: Attempts[T] = Attempts([], [])
    for call in calls:
        try:
            attempts.done.append(call())
        except (InputError, NotFound, ServerRefused) as error:
            attempts.errors.append(error)
    return attempts
