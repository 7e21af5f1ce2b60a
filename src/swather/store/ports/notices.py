"""The verbs of notices and their deliveries. Runs that end and breakers that open write theirs in
their own transactions; see Runs and Breakers.
"""

from collections.abc import Collection
from typing import Protocol

from swather.model.notice import Delivery, NewNotice, Notice, Subscription


class Notices(Protocol):
    def add(self, new: NewNotice) -> bool:
        """Whether it is the first with its key."""
        ...

    def meet(self, hook: Subscription) -> None:
        """A process has this hook: it is told of what happens from now on. Of a hook that is known
        already nothing changes.
        """
        ...

    def claim(self, hook: Subscription, *, lease_seconds: float) -> Delivery | None:
        """The next notice for a hook, for this process alone until the lease ends: one that no
        process has delivered yet, or one whose next attempt is due. Only what happened in the last
        day is claimed for the first time.
        """
        ...

    def delivered(self, delivery: Delivery) -> bool:
        """False if the lease had ended and somebody else has the delivery."""
        ...

    def undelivered(self, delivery: Delivery, error: str, *, retry_seconds: float | None) -> bool:
        """An attempt has failed; the next is due in `retry_seconds`, None for no more."""
        ...

    def find(self, *, limit: int = 100) -> list[Notice]:
        """The newest first."""
        ...

    def deliveries(self, notice_ids: Collection[int]) -> list[Delivery]: ...
    def retry(self, notice_ids: Collection[int] | None = None) -> int:
        """Make deliveries due that have failed or wait, of these notices or of all; how many."""
        ...
