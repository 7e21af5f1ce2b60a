"""The verbs of actions: an audit log of what people do, and how far long ones have come."""

from typing import Any, Protocol

from swather.model.action import Action
from swather.model.worker import Process


class Actions(Protocol):
    def begin(
        self,
        *,
        actor: str,
        verb: str,
        subject: str,
        detail: dict[str, Any],
        total: int | None = None,
        process: Process | None = None,
    ) -> int:
        """Write down what somebody is about to do, masked; returns its id. `process`: who does it,
        this one by default. When it dies before `end`, the action has failed.
        """
        ...

    def advance(self, action_id: int, done: int) -> None:
        """So much of it is done."""
        ...

    def end(self, action_id: int, *, done: int | None = None, error: str = "") -> None:
        """It is done, or has failed with this error. The first end counts."""
        ...

    def get(self, action_id: int) -> Action: ...
    def find(self, *, before_id: int | None = None, limit: int = 100) -> list[Action]:
        """The newest first, beginning below `before_id`."""
        ...
