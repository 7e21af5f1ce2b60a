"""The verbs of what tasks left behind: items, files, errors and events."""

from collections.abc import Collection
from datetime import datetime
from typing import Final, Protocol

from swather.model.results import (
    Counterpart,
    ErrorExample,
    ErrorGroup,
    FoundItems,
    Part,
    StoredFile,
    StoredItem,
    TaskIdentity,
    TaskResults,
    Unlinked,
)
from swather.model.task import Event
from swather.store.ports.queue import Fence

# How many items a search reads; they are larger than targets.
ITEM_SCAN: Final = 20_000
# How far a target is followed back to those that led to it.
MAX_ANCESTORS: Final = 1_000


class Results(Protocol):
    def items(
        self, run: str, *, after: str = "", limit: int = 1_000, complete_only: bool = False
    ) -> list[StoredItem]:
        """In commit order: what is read after a position never appears before it later."""
        ...

    def outdated(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredItem]:
        """Items of tasks that were tried again and failed; they are not among `items`."""
        ...

    def newest(self, run: str, *, before: str = "", limit: int = 50) -> list[StoredItem]:
        """The newest first, beginning before a position. What others are committing at the moment
        may be missed by a reader that continues from a position.
        """
        ...

    def search(
        self, run: str, text: str, *, before: str = "", limit: int = 50, scan: int = ITEM_SCAN
    ) -> FoundItems:
        """The newest items whose JSON has this text, in upper or lower case (A to Z). It reads no
        more than `scan` items.
        """
        ...

    def of_task(self, task_id: int, *, limit: int = 1_000) -> TaskResults:
        """At most so many items, and so many files."""
        ...

    def identities(self, tasks: Collection[int]) -> dict[int, TaskIdentity]:
        """Which targets these tasks are; without those that do not exist."""
        ...

    def counterparts(
        self, tasks: Collection[int], run: str, *, after: str
    ) -> dict[int, Counterpart]:
        """What became of the targets of these tasks in another run, whose items have been read up
        to a position. Where it does not have a target, that which led to it says whether the run
        has looked there.
        """
        ...

    def also_found_by(self, run: str, keys: Collection[str]) -> dict[str, list[int]]:
        """Tasks that produced an item of this key after another had; some, if there are many."""
        ...

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]: ...
    def newest_files(self, run: str, *, before: str = "", limit: int = 50) -> list[StoredFile]:
        """As `newest`."""
        ...

    def file(self, run: str, position: str) -> StoredFile:
        """NotFound if the run has no file at this position."""
        ...

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

    def error_groups(self, *, limit: int = 100, since: datetime | None = None) -> list[ErrorGroup]:
        """Groups of all runs that have failed since then, the latest first."""
        ...

    def mute(self, run: str, fingerprint: str, muted: bool) -> None:
        """Whether people do not want to see the group. NotFound if the run has no such group."""
        ...

    def error_example(self, group: ErrorGroup) -> ErrorExample:
        """The concrete message that most tasks of the group had last, of its newest 200 tasks."""
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

    def newest(self, run: str, *, before_id: int | None = None, limit: int = 100) -> list[Event]:
        """The newest first, beginning below `before_id`."""
        ...

    def log_started(self, fences: Collection[Fence]) -> None:
        """Log that attempts have begun, if the level asks for it."""
        ...
