"""Outcomes: how an attempt ended, with everything that commits with it."""

from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar, Final

import msgspec

from swather.model.error_title import error_title
from swather.model.retry import ErrorClass
from swather.model.source import SourceNote
from swather.model.task import State, Target

MAX_MESSAGE_CHARACTERS: Final = 10_000
EXHAUSTED: Final = "Exceeded retries: "


class Item(msgspec.Struct, frozen=True):
    """One row of results; with a `key` it is kept once per run."""

    data: Any
    key: str | None = None


class EncodedItem(Item, frozen=True):
    """Its data is the text that `encode_item` made of an item, and needs no second check."""

    data: str


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A stored file: its content by hash, its name as the user knows it."""

    name: str
    sha256: str
    size_bytes: int
    media_type: str = ""


class Memory(msgspec.Struct, frozen=True):
    """What a scraper wants to find again in later runs: a small JSON value by its key."""

    key: str
    value: Any = None


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong, and what makes two failures the same kind. `egress` is the key of the one to
    blame, '' for none: the next attempt avoids it.
    """

    error_class: ErrorClass
    message: str
    traceback: str = ""
    where: str = ""
    alone: bool = False
    egress: str = ""

    @property
    def title(self) -> str:
        """The message without the ids that differ from target to target."""
        return error_title(self.message)

    @property
    def fingerprint(self) -> str:
        return _fingerprint(self.error_class, self.where, self.title)


@lru_cache(maxsize=1_024)
def _fingerprint(error_class: str, where: str, title: str) -> str:
    text = f"{error_class}\0{where}\0{title}"
    return sha256(text.encode(errors="replace")).hexdigest()[:16]


class LogLine(msgspec.Struct, frozen=True):
    """A line that a scraper logged."""

    level: str
    message: str


class _Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """`egress`: what its last request left through, as people may see it; '' for directly."""

    task_id: int
    token: int
    egress: str = ""

    @property
    def fence(self) -> tuple[int, int]:
        return self.task_id, self.token


class Completed(_Outcome, frozen=True, kw_only=True):
    """The attempt succeeded; what it produced is committed with it. `files_folder`: where its files
    are on this machine; the database does not keep it.
    """

    state: ClassVar[State] = State.COMPLETED
    reason: str = "ok"
    part: int = 0
    items: tuple[Item, ...] | list[Item] = ()
    children: tuple[Target, ...] | list[Target] = ()
    files: tuple[File, ...] | list[File] = ()
    files_folder: str = ""
    memories: tuple[Memory, ...] | list[Memory] = ()
    log: tuple[LogLine, ...] | list[LogLine] = ()
    sources: tuple[SourceNote, ...] | list[SourceNote] = ()
    dropped: int = 0
    skipped: int = 0
    rejected: dict[str, int] = {}


class Retry(_Outcome, frozen=True, kw_only=True):
    """The attempt failed; another is due after `after_seconds`."""

    state: ClassVar[State] = State.SCHEDULED
    fault: Fault
    after_seconds: float = 0.0
    log: tuple[LogLine, ...] | list[LogLine] = ()
    sources: tuple[SourceNote, ...] | list[SourceNote] = ()


class Failed(_Outcome, frozen=True, kw_only=True):
    """The attempt failed and there will be no other. `exhausted`: others had failed before it."""

    state: ClassVar[State] = State.FAILED
    reason: str
    fault: Fault
    exhausted: bool = False
    log: tuple[LogLine, ...] | list[LogLine] = ()
    sources: tuple[SourceNote, ...] | list[SourceNote] = ()

    @property
    def message(self) -> str:
        """What a person reads. The fault keeps its own message: it is in one group with those that
        were retried.
        """
        return EXHAUSTED + self.fault.message if self.exhausted else self.fault.message


class Released(_Outcome, frozen=True, kw_only=True):
    """The task goes back as it came, without a charge, to be due after `after_seconds`."""

    state: ClassVar[State] = State.READY
    after_seconds: float = 0.0


class Cancelled(_Outcome, frozen=True, kw_only=True):
    """The attempt was stopped for good."""

    state: ClassVar[State] = State.CANCELLED
    reason: str = "cancelled"


Outcome = Completed | Retry | Failed | Released | Cancelled


class Verdict(StrEnum):
    """The result of a worker's write.

    STALE: the lease was no longer this worker's; nothing was changed.
    """

    ACCEPTED = "accepted"
    STALE = "stale"


class Standing(StrEnum):
    """What reading back by token says about a write whose commit was uncertain."""

    COMMITTED = "committed"
    PENDING = "pending"
    SUPERSEDED = "superseded"
