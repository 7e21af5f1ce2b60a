"""The types of a scraper's options, and the checks of their values."""

import math
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final

from swather.errors import InputError
from swather.file_location import Location, read_location
from swather.model.lease import Strategy
from swather.model.pacing import NO_RATE, parse_rate
from swather.model.retry import Backoff
from swather.model.task import check_name
from swather.scraping.arguments import check_headers, check_user_agent
from swather.scraping.proxies import check_proxies, check_tor

AUTO: Final = "auto"
Named = str | Callable[[Any], str | None] | None
KeyFunction = Callable[[Any], str]
TargetsFunction = Callable[[Any], Iterable[Any]]
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}")


class Isolation(StrEnum):
    """Where a scraper runs: on the event loop, in a thread, or in a child process."""

    TASK = "task"
    THREAD = "thread"
    PROCESS = "process"


class ExecutionMode(StrEnum):
    """Whether `start` runs a scraper here or leaves its targets to workers anywhere."""

    SINGLE = "single"
    DISTRIBUTED = "distributed"


class SessionScope(StrEnum):
    """Whose requests share cookies: all of a run, of a lane, or those through one proxy."""

    RUN = "run"
    LANE = "lane"
    PROXY = "proxy"


def _wrong(field: str, expected: str, got: object) -> InputError:
    return InputError(f"{field}: expected {expected}, got {got!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_scraper_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def _name(field: str, value: Any) -> str:
    if not isinstance(value, str) or (value and not is_scraper_name(value)):
        raise _wrong(field, "up to 100 letters, digits, '_', '-' and '.'", value)
    return value


def _rate_or_auto(field: str, value: Any) -> str | None:
    words = (AUTO, NO_RATE)
    return (
        value.strip() if isinstance(value, str) and value.strip() in words else _rate(field, value)
    )


def _rate(field: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _wrong(field, "a rate such as '5/s' or '30/min'", value)
    parse_rate(value)
    return value


def _whole(at_least: int) -> Callable[[str, Any], int]:
    def check(field: str, value: Any) -> int:
        if type(value) is not int or value < at_least:
            raise _wrong(field, f"a whole number of at least {at_least}", value)
        return value

    return check


def _whole_or_none(field: str, value: Any) -> int | None:
    if value is not None and (type(value) is not int or value < 1):
        raise _wrong(field, "a whole number of at least 1, or None", value)
    return value


def _named(field: str, value: Any) -> Named:
    if isinstance(value, str):
        check_name(field, value)
    elif value is not None and not callable(value):
        raise _wrong(field, "a name, a function of the target, or None", value)
    return value  # type: ignore[no-any-return]


def _key(field: str, value: Any) -> KeyFunction | None:
    if value is not None and not callable(value):
        raise _wrong(field, "a function of the target, or None", value)
    return value  # type: ignore[no-any-return]


def _targets(field: str, value: Any) -> TargetsFunction | None:
    if value is not None and not callable(value):
        raise _wrong(field, "a function of the params, or None", value)
    return value  # type: ignore[no-any-return]


def _backoff(field: str, value: Any) -> float | Backoff:
    if isinstance(value, Backoff):
        return value
    if not _is_number(value) or value < 1:
        raise _wrong(field, "a factor of at least 1, or a Backoff", value)
    return float(value)


def _timeout(field: str, value: Any) -> float:
    if not _is_number(value) or value <= 0:
        raise _wrong(field, "a positive number of seconds", value)
    return float(value)


def _delay(field: str, value: Any) -> float | tuple[float, float] | None:
    if value is None:
        return None
    bounds = tuple(value) if isinstance(value, list | tuple) else (value, value)
    if len(bounds) != 2 or not all(map(_is_number, bounds)) or not 0 <= bounds[0] <= bounds[1]:
        raise _wrong(field, "seconds, or (at least, at most) seconds", value)
    return (float(bounds[0]), float(bounds[1])) if isinstance(value, list | tuple) else float(value)


def _member(kind: type[StrEnum], *, optional: bool = False) -> Callable[[str, Any], Any]:
    def check(field: str, value: Any) -> Any:
        if value is None and optional:
            return None
        try:
            return kind(value)
        except ValueError:
            raise _wrong(field, f"one of {', '.join(kind)}", value) from None

    return check


def _flag(field: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(field, "True or False", value)
    return value


def _flag_or_none(field: str, value: Any) -> bool | None:
    return None if value is None else _flag(field, value)


def _profile(field: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value):
        raise _wrong(field, "the name of a browser such as 'chrome140', or None", value)
    return value


def _folder(field: str, value: Any) -> Location:
    if not isinstance(value, str | Location) or not str(value) or "\0" in str(value):
        raise _wrong(field, "a folder such as 'subtitles', or 's3://bucket/prefix'", value)
    try:
        return read_location(value)
    except ValueError:
        raise _wrong(
            field, "a folder such as 'subtitles', or 's3://bucket/prefix'", value
        ) from None


def _version(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(field, "text", value)
    return check_name(field, value)


def _params(field: str, value: Any) -> type | None:
    if value is None or (isinstance(value, type) and _has_fields(value)):
        return value
    raise _wrong(field, "a dataclass, a msgspec Struct or a pydantic model", value)


def _has_fields(kind: type) -> bool:
    marks = ("__dataclass_fields__", "__struct_fields__", "model_fields")
    return any(hasattr(kind, mark) for mark in marks)


CHECKS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "name": _name,
    "rate": _rate_or_auto,
    "total_rate": _rate,
    "burst": _whole(1),
    "lane": _named,
    "partition": _named,
    "key": _key,
    "targets": _targets,
    "in_flight": _whole_or_none,
    "retries": _whole(0),
    "backoff": _backoff,
    "timeout": _timeout,
    "delay": _delay,
    "isolation": _member(Isolation, optional=True),
    "execution_mode": _member(ExecutionMode),
    "strategy": _member(Strategy, optional=True),
    "tor": check_tor,
    "browser": _flag,
    "proxies": check_proxies,
    "robots": _flag,
    "allow_private": _flag,
    "session": _member(SessionScope, optional=True),
    "profile": _profile,
    "user_agent": check_user_agent,
    "headers": check_headers,
    "store_pages": _flag_or_none,
    "files_folder": _folder,
    "version": _version,
    "params": _params,
    "recycle_after": _whole(1),
    "memory_limit_mb": _whole_or_none,
    "urls_normalised": _flag,
}
