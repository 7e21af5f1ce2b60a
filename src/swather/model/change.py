"""Changes: what is new, gone or changed in a run, compared with an earlier one."""

from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.model.difference import FieldChange
from swather.model.results import Counterpart
from swather.model.task import State

# Of a target that failed: its site has answered that there is nothing.
_NOTHING_THERE: Final = "not_found"


class ChangeKind(StrEnum):
    """What became of an item. It is unknown if one of the runs has not looked."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    UNKNOWN = "unknown"


class Doubt(StrEnum):
    """Why it cannot be known whether an item is new or gone."""

    FAILED = "failed"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"
    NOT_IN_RUN = "not in the run"


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One item that is not the same in both runs. `key` is None if it is matched by its target and
    place. `doubt`: why it is unknown.
    """

    kind: ChangeKind
    key: str | None
    target: Any
    before: Any
    after: Any
    changes: list[FieldChange]
    doubt: Doubt | None = None


class ChangeCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many items are what. `minor` are those of `same` that changed by less than was asked
    for; `doubts` says why how many are unknown.
    """

    new: int = 0
    gone: int = 0
    changed: int = 0
    same: int = 0
    minor: int = 0
    unknown: int = 0
    doubts: dict[Doubt, int] = {}


def doubt_about(
    found: Counterpart | None, *, has_left_out: bool, was_asked_for: bool
) -> Doubt | None:
    """Why a run that does not have an item may have missed it; None if it has looked. `found` is
    what it has of the item's target; one that has more items than were read has ended since.
    `has_left_out`: the run has left out targets, so that not all that a page leads to is in it.
    `was_asked_for`: the other run was given the target.
    """
    if found is None or not found.exists:
        return Doubt.NOT_IN_RUN if was_asked_for or has_left_out else None
    if found.depth and has_left_out:
        return Doubt.NOT_IN_RUN
    match None if found.has_more else found.state:
        case None:
            return Doubt.UNFINISHED
        case State.COMPLETED:
            return None
        case State.FAILED:
            return None if found.reason == _NOTHING_THERE else Doubt.FAILED
        case _:
            return Doubt.CANCELLED
