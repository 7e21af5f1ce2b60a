"""What both stores refuse before they touch the database."""

from typing import Any, Final

from swather.errors import BadSetting, InputError, NotFound
from swather.model.event import EventLevel
from swather.model.run import NewRun
from swather.model.task import check_name

MAX_SECONDS: Final = 100 * 365 * 86_400


def check_new_run(new: NewRun) -> None:
    if not new.scraper:
        raise InputError("a run needs the name of its scraper")
    check_name("scraper", new.scraper)
    check_name("version", new.version)
    if new.name is not None:
        if not new.name:
            raise InputError("a run's name must not be empty")
        check_name("run name", new.name)


def check_setting(name: str, value: Any) -> None:
    if not name or name != name.strip():
        raise BadSetting(f"a setting needs a name, got {name!r}")
    check_name("setting name", name)
    if name == "event_level" and value not in list(EventLevel):
        raise BadSetting(f"event_level must be one of {', '.join(EventLevel)}, got {value!r}")
    if name == "event_days" and not (type(value) in (int, float) and value > 0):
        raise BadSetting(f"event_days must be a positive number, got {value!r}")


def check_seconds(what: str, seconds: float) -> float:
    """A length of time that ends."""
    if type(seconds) in (int, float) and 0 <= seconds <= MAX_SECONDS:
        return seconds
    raise InputError(f"{what} must be between 0 and {MAX_SECONDS:,} seconds, got {seconds!r}")


def unknown_run(name: str) -> NotFound:
    return NotFound(f"there is no run named {name!r}; `swather runs` lists them")


def unknown_task(task_id: int) -> NotFound:
    return NotFound(f"there is no task {task_id!r}")


def unknown_worker(worker_id: int) -> NotFound:
    return NotFound(f"there is no worker {worker_id!r}; `swather status` lists them")
