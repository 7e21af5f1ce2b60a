"""Numbers and times as people read them."""

import math
import os
import shlex
from datetime import datetime
from pathlib import Path
from typing import Final

from swather.errors import BadURL
from swather.masking import without_password
from swather.model.duration import duration as duration  # noqa: PLC0414 - one of these words

URL_VARIABLE: Final = "SWATHER_DB"
# Where a database may be named, besides.
SETTINGS_FILES: Final = (".env", "swather.toml", "pyproject.toml")
_BYTES: Final = ("kB", "MB", "GB", "TB")


def estimate(seconds: float | None) -> str | None:
    """'~2h 15m'; None while nothing is known."""
    if seconds is None or not math.isfinite(seconds):
        return None
    return "~0s" if seconds < 1 else f"~{duration(math.ceil(seconds))}".replace(".0s", "s")


def rate(per_second: float) -> str:
    """'12.5/s', '30/min', '4/h': in the unit that keeps the number readable."""
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3_600)):
        number = per_second * seconds
        if number >= 1 or unit == "h":
            return f"{number:,.1f}".removesuffix(".0") + f"/{unit}"
    raise AssertionError


def clock_time(at: datetime, now: datetime) -> str:
    """'12:03:05', with the day when it is another one; in this machine's time zone."""
    local = at.astimezone()
    return f"{local:%H:%M:%S}" if local.date() == now.astimezone().date() else f"{local:%F %T}"


def time_ahead(at: datetime, now: datetime) -> str:
    """'12:03:05 (in 2m 5s)'."""
    left = (at - now).total_seconds()
    return clock_time(at, now) + (f" (in {duration(left)})" if left > 0 else " (now due)")


def shortened(text: str, characters: int = 80) -> str:
    """The beginning of a text that may be long."""
    return text if len(text) <= characters else f"{text[: characters - 1]}…"


def count(number: int, noun: str, plural: str = "") -> str:
    """'1 task', '2,000 tasks'."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(count: int) -> str:
    """'812 bytes', '4.1 MB'."""
    if count < 1000:
        return f"{count} bytes"
    power = min(len(str(count)) - 1, 12) // 3
    return f"{count / 1000**power:,.1f} {_BYTES[power - 1]}"


def command(*words: str, url: str) -> str:
    """A command to copy. The database is named unless a command here would take it anyway, and
    without its password, which PGPASSWORD gives.
    """
    named = [] if _is_found(url) else ["--db", without_password(url)]
    return shlex.join(["swather", *words, *named])


def _is_found(url: str) -> bool:
    """Whether commands that are given here without --db mean this database."""
    from swather.store import factory  # noqa: PLC0415 - not for a command's help

    found = os.environ.get(URL_VARIABLE)
    if not found and any(Path(name).is_file() for name in SETTINGS_FILES):
        return False
    try:
        return factory.located(found or factory.DEFAULT_URL) == factory.located(url)
    except BadURL:
        return False


def share(rate: float) -> str:
    """'99.7%': never 100% unless nothing failed, never 0% unless nothing succeeded."""
    percent = rate * 100
    if 0 < percent < 0.1:
        return "<0.1%"
    if 99.9 < percent < 100:
        return ">99.9%"
    return f"{percent:.1f}%".replace(".0%", "%")
