"""The verbs of supervisors: who keeps workers running where, and how many are wanted."""

from typing import Any, Protocol

from swather.model.supervisor import NewSupervisor, Orders, SupervisorRow


class Supervisors(Protocol):
    def register(self, new: NewSupervisor) -> int:
        """One whose process is dead, or that is silent past its lease, is replaced. InputError if
        one of this name lives.
        """
        ...

    def beat(self, supervisor_id: int, said: dict[str, Any] | None = None) -> Orders:
        """Renew its lease, write down what it says of its workers, and read its orders."""
        ...

    def retire(self, supervisor_id: int, said: dict[str, Any] | None = None) -> None:
        """It ends; this is the last that it says."""
        ...

    def find(self, *, live: bool = True, limit: int = 100) -> list[SupervisorRow]:
        """The newest first."""
        ...

    def get(self, supervisor_id: int) -> SupervisorRow: ...

    def set_wanted(self, supervisor_id: int, wanted: int) -> None:
        """NotFound if it has ended; so do the other verbs."""
        ...

    def set_bounds(self, supervisor_id: int, minimum: int, maximum: int) -> None:
        """Between which numbers its autoscaler chooses."""
        ...

    def ask_restart(self, supervisor_id: int) -> None:
        """Its workers are replaced one after another."""
        ...

    def ask_stop(self, supervisor_id: int, *, now: bool = False) -> None:
        """Running targets finish first, unless `now`."""
        ...
