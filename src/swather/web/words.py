"""Values as a page shows them: numbers, rates, times, sizes."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

import msgspec

from swather.masking import masked, masked_data
from swather.model.pacing import Limits
from swather.runs.words import duration, estimate, rate
from swather.runs.words import share as percentage
from swather.web import brief, shapes, states

# Where there is no value.
NONE: Final = "\N{EN DASH}"


def number(value: float | None) -> str:
    """12,408."""
    return NONE if value is None else f"{value:,}"


def share(value: float | None) -> str:
    return NONE if value is None else f"{value:.1%}"


def percent(value: float | None) -> str:
    """'0.4%': never 0% if there is any."""
    return NONE if value is None else percentage(value)


def size(value: int) -> str:
    """4.2 MB."""
    amount = float(value)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1_000:
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1_000
    return f"{amount:,.1f} TB"


def per_second(value: float | None) -> str:
    if value is None:
        return NONE
    return rate(value) if value else "0/s"


def ago(value: datetime | None) -> str:
    """'3m 20s ago'; the template gives the absolute time beside it."""
    if value is None:
        return NONE
    seconds = (datetime.now(UTC) - value).total_seconds()
    return (
        "now"
        if abs(seconds) < 1
        else f"{duration(seconds)} ago"
        if seconds > 0
        else f"in {duration(-seconds)}"
    )


def at(value: datetime | None) -> str:
    """2026-02-15 12:00:00 UTC."""
    return NONE if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def iso(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="seconds")


def lasting(value: float | None) -> str:
    return NONE if value is None else duration(value)


def eta(value: float | None) -> str:
    return estimate(value) or NONE


def text(value: Any) -> str:
    """Anything as text without passwords: a string as it is, the rest as JSON."""
    if isinstance(value, str):
        return masked(value)
    return msgspec.json.encode(masked_data(value)).decode()


def json(value: Any) -> str:
    """Indented, without passwords."""
    return msgspec.json.format(msgspec.json.encode(masked_data(value)), indent=2).decode()


def clock(value: datetime) -> str:
    """12:03:05, with the day if that is another one."""
    now = datetime.now(UTC)
    then = value.astimezone(UTC)
    return f"{then:%H:%M:%S}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"


def limits_words(value: Limits) -> str:
    """'5/s, 3 at once, at most 8 in flight'."""
    said = []
    if value.every_seconds:
        said.append(rate(1 / value.every_seconds))
    if value.every_seconds and value.burst > 1:
        said.append(f"{value.burst:,} at once")
    if value.in_flight is not None:
        said.append(f"at most {value.in_flight:,} in flight")
    return ", ".join(said) or NONE


def urlencode_path(value: str) -> str:
    """An address as links write it."""
    return quote(value)


def millions(value: float | None) -> str:
    """18.2M, where the last digits say nothing: 12,408 and less stay as they are."""
    if value is None:
        return NONE
    for unit, name in ((1_000_000_000, "B"), (1_000_000, "M")):
        if value >= unit:
            return f"{value / unit:.1f}{name}"
    return number(value)


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "number": number,
    "share": share,
    "percent": percent,
    "size": size,
    "per_second": per_second,
    "ago": ago,
    "at": at,
    "iso": iso,
    "lasting": lasting,
    "eta": eta,
    "line": brief.line,
    "first_line": brief.first_line,
    "block": brief.block,
    "shown_json": brief.shown_json,
    "as_text": text,
    "as_json": json,
    "millions": millions,
    "urlencode_path": urlencode_path,
    "state_word": states.state_word,
    "state_class": states.state_class,
    "states_shown": states.states_shown,
    "counts_words": states.counts_words,
    "done_share": states.done_share,
    "spark_path": shapes.spark_path,
    "bars": shapes.bars,
    "stacked": shapes.stacked,
    "clock": clock,
    "limits_words": limits_words,
}
