"""A stand-in for Ray where it is not installed: actors are objects of this process. The real one
plays in `python -m faults.ray_node`.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


class RayError(Exception):
    pass


class Answer:
    """What a call came to. It is made at once, or when its actor has a node."""

    def __init__(self, handle: "Handle", call: Callable[[Any], Any]) -> None:
        self.handle = handle
        self._call = call
        self._value = None if handle.actor is None else [call(handle.actor)]

    def get(self) -> Any:
        if self.handle.is_dead:
            raise RayError("The actor died.\n\tactor_id: 17")
        if self._value is None:
            self._value = [self._call(self.handle.actor)]
        return self._value[0]


class Handle:
    def __init__(self, kind: type, arguments: tuple[Any, ...]) -> None:
        self._kind = kind
        self._arguments = arguments
        self.actor: Any = None
        self.is_dead = False

    def place(self) -> None:
        """Run the constructor on a node: the first, or another when that is lost."""
        self.actor = self._kind(*self._arguments)

    def __getattr__(self, method: str) -> Any:
        return SimpleNamespace(
            remote=lambda **given: Answer(self, lambda actor: getattr(actor, method)(**given))
        )


class StandIn:
    """As much of the module `ray` as a placement uses."""

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self) -> None:
        self.handles: list[Handle] = []
        self.options: list[dict[str, Any]] = []

    def remote(self, kind: type) -> Any:
        return SimpleNamespace(options=lambda **options: self._placed(kind, options))

    def _placed(self, kind: type, options: dict[str, Any]) -> Any:
        self.options.append(options)

        def make(*arguments: Any) -> Handle:
            self.handles.append(Handle(kind, arguments))
            return self.handles[-1]

        return SimpleNamespace(remote=make)

    def wait(self, answers: list[Answer], timeout: float) -> tuple[list[Answer], list[Answer]]:
        assert timeout == 0
        ready = [one for one in answers if one.handle.is_dead or one.handle.actor is not None]
        return ready, [one for one in answers if one not in ready]

    def get(self, answer: Answer) -> Any:
        return answer.get()

    def kill(self, handle: Handle, *, no_restart: bool) -> None:
        assert no_restart
        handle.is_dead = True
