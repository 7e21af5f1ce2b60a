"""What a target may have besides its value: priority, lane, partition and due time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from swather.errors import InputError
from swather.model.duration import parse_duration
from swather.model.task import HIGHEST_PRIORITY, LOWEST_PRIORITY, check_name, check_priority
from swather.model.whole_number import whole_number
from swather.net.request import is_http
from swather.scraping.targets import lane_of_url
from swather.store.checks import check_seconds


class TargetOptions(NamedTuple):
    """None: as the scraper says, else the default."""

    priority: int | None = None
    lane: str | None = None
    partition: str | None = None
    due_in_seconds: float = 0.0


NO_OPTIONS: Final = TargetOptions()


@dataclass(frozen=True, kw_only=True)
class OptionTexts:
    """The options as they are written, in a command or, as names of columns, for a file."""

    priority: str | None = None
    lane: str | None = None
    partition: str | None = None
    due: str | None = None
    # Whether 1 is the highest priority where these are written.
    lowest_first: bool = False

    def __bool__(self) -> bool:
        return any((self.priority, self.lane, self.partition, self.due))

    def as_list(self) -> list[str | None]:
        return [self.priority, self.lane, self.partition, self.due]


NO_TEXTS: Final = OptionTexts()


def options_of(texts: OptionTexts) -> TargetOptions:
    """The options that a command gives to all its targets."""
    return _parsed(
        NO_OPTIONS,
        {
            "priority": ("--priority", texts.priority),
            "lane": ("--lane", texts.lane),
            "partition": ("--partition", texts.partition),
            "due_in_seconds": ("--due", texts.due),
        },
        lowest_first=texts.lowest_first,
    )


def options_in(
    columns: OptionTexts, cell: Callable[[str], Any], otherwise: TargetOptions
) -> TargetOptions:
    """The options of one row; `cell` gives what it has in a column, an empty one is `otherwise`."""
    if not columns:
        return otherwise
    named = {
        "priority": columns.priority,
        "lane": columns.lane,
        "partition": columns.partition,
        "due_in_seconds": columns.due,
    }
    cells = {
        field: (f"column {column!r}", cell(column)) for field, column in named.items() if column
    }
    return _parsed(otherwise, cells, lowest_first=columns.lowest_first)


def due_in_seconds(text: str) -> float:
    """How long from now, for '2h' or a time such as '2026-03-01 12:00'; 0 for one in the past."""
    seconds = parse_duration(text) if not text.strip().replace(".", "").isdecimal() else None
    if seconds is None:
        try:
            at = datetime.fromisoformat(text.strip())
        except ValueError:
            raise InputError(
                f"expected a time such as 2026-03-01T12:00 or a delay such as 2h, got {text!r:.80}"
            ) from None
        try:
            seconds = max((at.astimezone(UTC) - datetime.now(UTC)).total_seconds(), 0.0)
        except OverflowError:
            raise InputError(f"the time {text!r:.80} is out of range") from None
    return check_seconds("the delay", seconds)


def _parsed(
    otherwise: TargetOptions, texts: dict[str, tuple[str, Any]], *, lowest_first: bool
) -> TargetOptions:
    found: dict[str, Any] = {}
    for field, (where, value) in texts.items():
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        try:
            found[field] = _PARSERS[field](value)
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
    if lowest_first and "priority" in found:
        found["priority"] = LOWEST_PRIORITY + HIGHEST_PRIORITY - found["priority"]
    return otherwise._replace(**found)


def _priority(value: Any) -> int:
    number: Any = whole_number(value) if isinstance(value, str) else value
    try:
        return check_priority(number)
    except InputError:
        raise InputError(
            f"expected a whole number from {LOWEST_PRIORITY} to {HIGHEST_PRIORITY}, "
            f"got {value!r:.80}"
        ) from None


def _lane(value: Any) -> str:
    name = _text(value)
    return lane_of_url(name) if is_http(name) else check_name("lane", name)


def _partition(value: Any) -> str:
    return check_name("partition", _text(value))


def _due(value: Any) -> float:
    return due_in_seconds(_text(value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"expected text, got {value!r:.80}")
    return value.strip()


_PARSERS: Final[dict[str, Callable[[Any], Any]]] = {
    "priority": _priority,
    "lane": _lane,
    "partition": _partition,
    "due_in_seconds": _due,
}
