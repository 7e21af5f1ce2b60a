"""The verbs of what tasks left behind: items, files, errors and events."""

from collections.abc import Collection
from typing import Protocol

from swather.model.results import ErrorExample, ErrorGroup, Part, StoredFile, StoredItem, Unlinked
from swather.model.task import Event
from swather.store.ports.queue import Fence


class Results(Protocol):
    def items(
        self, run: str, *, after: str = "", limit: int = 1_000, complete_only: bool = False
    ) -> list[StoredItem]:
        """In commit order: what is read after a position never appears before it later."""
        ...

    def outdated(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredItem]:
        """Items of tasks that were tried again and failed; they are not among `items`."""
        ...

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]: ...

    def unlinked(self, *, after: Part = (0, 0), limit: int = 1_000) -> list[Unlinked]:
        """Parts of tasks whose files are committed and have no friendly names yet."""
        ...

    def mark_linked(self, parts: Collection[Part]) -> None:
        """Record that the files of these parts have their names."""
        ...

    def has_file(self, sha256: str) -> bool:
        """Whether any run has a file with this content."""
        ...

    def errors(self, run: str, *, limit: int = 100) -> list[ErrorGroup]:
        """Groups of failures that look the same, the most frequent first."""
        ...

    def errors_like(self, run: str, prefix: str, *, limit: int = 10) -> list[ErrorGroup]:
        """Groups whose fingerprint begins so, the most frequent first."""
        ...

    def error_example(self, group: ErrorGroup) -> ErrorExample:
        """The concrete message that most tasks of the group had last, of its newest 1,000 tasks."""
        ...


class Events(Protocol):
    def find(
        self,
        run: str,
        *,
        task_id: int | None = None,
        worker_id: int | None = None,
        after_id: int = 0,
        limit: int = 100,
    ) -> list[Event]: ...

    def log_started(self, fences: Collection[Fence]) -> None:
        """Log that attempts have begun, if the level asks for it."""
        ...
