"""States as pages show them: a word and a colour, the same everywhere."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from swather.model.task import State

# In the order in which a bar shows them.
SHOWN: Final = (
    State.COMPLETED,
    State.FAILED,
    State.CANCELLED,
    State.LEASED,
    State.SCHEDULED,
    State.READY,
)
_WORDS: Final = {"leased": "running", "open": "running"}
_COLOURS: Final = {
    "completed": "completed",
    "finished": "completed",
    "done": "completed",
    "working": "running",
    "running": "running",
    "leased": "running",
    "open": "running",
    "loading": "running",
    "ready": "ready",
    "waiting": "ready",
    "idle": "ready",
    "scheduled": "scheduled",
    "retry": "scheduled",
    "retried": "scheduled",
    "paced": "scheduled",
    "cooling": "scheduled",
    "draining": "scheduled",
    "failed": "failed",
    "dead": "failed",
    "silent": "failed",
    "cancelled": "cancelled",
    "paused": "cancelled",
    "muted": "cancelled",
    "blocked": "blocked",
    "held": "blocked",
    "banned": "blocked",
}


class Segment(NamedTuple):
    """So many tasks in a state, and where a bar shows them, in percent."""

    state: str
    tasks: int
    x: float
    width: float


def state_word(state: str) -> str:
    return _WORDS.get(str(state), str(state))


def state_class(state: str) -> str:
    """The class that gives something the colour of a state."""
    return f"s-{_COLOURS.get(str(state), 'ready')}"


def states_shown(counts: Any) -> list[Segment]:
    """The states that tasks are in."""
    found, x = [], 0.0
    numbers = {state: number for state in SHOWN if (number := _number(counts, state)) > 0}
    total = sum(numbers.values())
    for state, number in numbers.items():
        width = 100 * number / total
        found.append(Segment(str(state), number, round(x, 3), round(width, 3)))
        x += width
    return found


def counts_words(counts: Any) -> str:
    """'3 completed, 2 running'."""
    shown = states_shown(counts)
    return ", ".join(f"{each.tasks:,} {state_word(each.state)}" for each in shown) or "no tasks"


def done_share(counts: Any) -> str:
    """'72 %'; never '100 %' before the last."""
    total = sum(_number(counts, state) for state in SHOWN)
    done = sum(_number(counts, state) for state in SHOWN if state.is_terminal)
    if not total:
        return "\N{EN DASH}"
    share = int(100 * done / total)
    return "<1 %" if done and not share else f"{share} %"


def _number(counts: Any, state: State) -> int:
    """Of anything that has counts: the model's, or a mapping."""
    if isinstance(counts, Mapping):
        return int(counts.get(state, 0))
    return int(getattr(counts, state))
