"""Input checks of both stores, made before they touch the database."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from swather.errors import BadSetting, BadTarget, InputError, NotFound, RunCancelled
from swather.model.lane import PacedKind
from swather.model.pacing import MAX_AHEAD_SECONDS, MAX_COUNT
from swather.model.partition import Partition
from swather.model.run import Load, NewRun, RunState
from swather.model.task import EventLevel, check_file_name, check_name
from swather.model.task_filter import TaskFilter
from swather.model.worker import NewWorker, check_worker_number

MAX_ID: Final = 2**63 - 1
MAX_TASKS: Final = 2**53
MAX_SECONDS: Final = 100 * 365 * 86_400
MAX_DAYS: Final = 100 * 365
MAX_PORT: Final = 65_535
_DAYS: Final = ("event_days", "page_age_days", "keep_runs_days", "memory_days")


def check_new_run(new: NewRun) -> None:
    if not new.scraper:
        raise InputError("a run needs the name of its scraper")
    check_name("scraper", new.scraper)
    check_file_name("the scraper name", new.scraper)
    check_name("version", new.version)
    limit = new.task_limit
    if limit is not None and not (type(limit) is int and 0 < limit <= MAX_TASKS):
        raise InputError(f"task_limit must be a positive whole number, got {limit!r}")
    if new.name is not None:
        if not new.name:
            raise InputError("a run's name must not be empty")
        check_name("run name", new.name)
        check_file_name("the run name", new.name)


def refuse_cancelled(state: str | None) -> None:
    if state == RunState.CANCELLED:
        raise RunCancelled("the run was cancelled and takes no more targets; start a new one")


def check_new_worker(new: NewWorker) -> None:
    check_seconds("lease_seconds", new.lease_seconds)
    check_name("worker name", new.name or "")
    check_name("worker version", new.version)
    for field in ("host", "boot_id", "namespace", "started"):
        check_name(field, getattr(new.process, field))


def check_partitions(run: str, names: Iterable[str], known: Iterable[Partition]) -> None:
    unknown = sorted(set(names) - {partition.name for partition in known})
    if unknown:
        raise InputError(f"run {run!r} has no partition {unknown[0]!r}")


def check_plan(numbers: Mapping[str, int]) -> None:
    for name, number in numbers.items():
        if not name:
            raise InputError("a partition's name must not be empty")
        check_name("partition", name)
        check_worker_number(number)


def check_load(load: Load) -> None:
    for field in ("source", "content", "name"):
        check_name(f"load {field}", getattr(load, field))


def check_setting(name: str, value: Any) -> None:
    if not name or name != name.strip():
        raise BadSetting(f"a setting needs a name, got {name!r}")
    check_name("setting name", name)
    if name == "event_level" and value not in list(EventLevel):
        raise BadSetting(f"event_level must be one of {', '.join(EventLevel)}, got {value!r}")
    if name in _DAYS and not (type(value) in (int, float) and 0 < value <= MAX_DAYS):
        raise BadSetting(f"{name} must be more than 0 and at most {MAX_DAYS:,}, got {value!r}")


def check_seconds(what: str, seconds: float) -> float:
    """A finite length of time."""
    if type(seconds) in (int, float) and 0 <= seconds <= MAX_SECONDS:
        return seconds
    raise InputError(f"{what} must be between 0 and {MAX_SECONDS:,} seconds, got {seconds!r}")


def check_permits(
    lane: str, count: int, in_flight: int | None = None, ahead_seconds: float = 0.0
) -> None:
    check_name("lane", lane)
    if not 0.0 <= ahead_seconds <= MAX_AHEAD_SECONDS:
        raise InputError(
            f"ahead_seconds must be from 0 to {MAX_AHEAD_SECONDS:g}, got {ahead_seconds!r}"
        )
    if count < 1:
        raise InputError(f"count must be at least 1, got {count!r}")
    if in_flight is not None and (in_flight < 0 or not lane):
        raise InputError(
            f"a lane has 0 or more requests in flight, {lane!r} cannot have {in_flight!r}"
        )


def check_egresses(egresses: int) -> None:
    if not 1 <= egresses <= MAX_COUNT:
        raise InputError(f"a run has from 1 to {MAX_COUNT:,} egresses, got {egresses!r}")


def check_recall(keys: Iterable[str], max_age_seconds: float | None) -> float:
    """The greatest age of what is recalled, in seconds."""
    for key in keys:
        check_name("key", key)
    if max_age_seconds is None:
        return MAX_SECONDS
    return check_seconds("max_age", max_age_seconds)


def check_limit(limit: int) -> int:
    """The maximum number of rows to find."""
    if type(limit) is int and 0 < limit <= MAX_ID:
        return limit
    raise InputError(f"limit must be a whole number from 1 to {MAX_ID:,}, got {limit!r}")


def check_paced(name: str, kind: PacedKind = PacedKind.LANE) -> None:
    if not name:
        raise InputError(f"a {kind} needs a name; targets without a lane cannot be limited")
    check_name(str(kind), name)


def check_breaker(scraper: str, lane: str, probe_seconds: float = 1.0) -> None:
    check_paced(scraper, PacedKind.SCRAPER)
    check_name("lane", lane)
    if not check_seconds("probe_seconds", probe_seconds):
        raise InputError("probe_seconds must be more than 0")


def check_origin(origin: str) -> None:
    if not origin:
        raise InputError("an origin looks like https://example.com, got nothing")
    check_name("origin", origin)


def check_host(host: str, port: int) -> tuple[str, int]:
    if not host:
        raise InputError("a host looks like example.com or 127.0.0.1, got nothing")
    if not (type(port) is int and 0 < port <= MAX_PORT):
        raise InputError(f"a port must be a whole number from 1 to {MAX_PORT:,}, got {port!r}")
    return check_name("host", host), port


def check_retry_after(seconds: float | None) -> float | None:
    """A wait that a site has asked for; it may be absurdly long."""
    if seconds is None:
        return None
    if type(seconds) not in (int, float) or math.isnan(seconds):
        raise InputError(f"retry_after_seconds must be a number, got {seconds!r}")
    return min(max(seconds, 0.0), MAX_SECONDS)


def check_filter(which: TaskFilter) -> None:
    for field in ("lane", "error_class", "fingerprint", "worker", "text"):
        name = getattr(which, field)
        if name is not None:
            check_name(field, name)
    for reason in which.reasons or ():
        check_name("reason", reason)


def ascii_lower(text: str) -> str:
    """Only A to Z in lower case: what both databases do."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def check_known(run: str) -> None:
    """NotFound for a name that no database can hold: there is no such run."""
    try:
        check_name("run name", run)
    except BadTarget as error:
        raise unknown_run(run) from error


def may_exist(*ids: int | None) -> bool:
    """Whether a database can hold the given ids."""
    return all(number is None or 0 < number <= MAX_ID for number in ids)


def unknown_run(name: str) -> NotFound:
    return NotFound(f"there is no run named {name!r}; `swather runs` lists them")


def unknown_task(task_id: int) -> NotFound:
    return NotFound(f"there is no task {task_id!r}")


def unknown_file(run: str, position: str) -> NotFound:
    return NotFound(f"run {run!r} has no file at position {position!r}")


def unknown_group(run: str, fingerprint: str) -> NotFound:
    return NotFound(
        f"run {run!r} has no error group {fingerprint!r}; `swather errors {run}` lists them"
    )


def unknown_worker(worker_id: int) -> NotFound:
    return NotFound(f"there is no worker {worker_id!r}; `swather status` lists them")
