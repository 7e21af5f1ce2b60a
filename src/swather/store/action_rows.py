"""What the two stores share about actions: masked texts, and which of them have died."""

from typing import Any, Final

import msgspec

from swather import posix
from swather.errors import InputError, NotFound
from swather.masking import masked, masked_data
from swather.model.action import Action, ActionState
from swather.model.payload import encode, storable
from swather.model.worker import Process
from swather.store.checks import MAX_ID

ACTION_DAYS: Final = 90
# After this long without a word, the process of an action on another machine counts as dead.
SILENT_SECONDS: Final = 600.0
MAX_TEXT_CHARACTERS: Final = 2_000


def new_action(
    *, actor: str, verb: str, subject: str, detail: dict[str, Any], total: int | None
) -> dict[str, Any]:
    """The values of a new row."""
    if total is not None and not 0 <= total <= MAX_ID:
        raise InputError(f"the total of an action must be 0 or more, got {total!r}")
    return {
        "actor": shown(actor),
        "verb": shown(verb),
        "subject": shown(subject),
        "detail": encode(masked_data(detail), what="the detail of an action"),
        "total": total,
    }


def process_values(process: Process | None) -> dict[str, Any]:
    return msgspec.structs.asdict(process or posix.this_process())


def shown(text: str) -> str:
    """Masked, and as long as a page can show."""
    return storable(masked(text[: 20 * MAX_TEXT_CHARACTERS]))[:MAX_TEXT_CHARACTERS]


def seen(action: Action, process: Process, *, is_over: bool, silent_seconds: float) -> Action:
    """As it stands: nobody sweeps actions, so whoever looks has to decide. `is_over`: what began
    before this boot has ended with it.
    """
    if action.state is not ActionState.RUNNING:
        return action
    is_here = process.boot_id == posix.boot_id() and process.namespace == posix.pid_namespace()
    if is_over or posix.is_dead(process):
        why = "ended"
    elif not is_here and silent_seconds > SILENT_SECONDS:
        why = f"has said nothing for {SILENT_SECONDS / 60:.0f} minutes"
    else:
        return action
    return msgspec.structs.replace(
        action,
        state=ActionState.FAILED,
        error=f"process {process.pid} on {process.host} {why} before it was done; what it had done "
        "by then stays. Do it again for the rest",
    )


def unknown_action(action_id: int) -> NotFound:
    return NotFound(f"there is no action {action_id!r}; it may be older than {ACTION_DAYS} days")
