"""Plans of partitions: read from the settings and from files, and refused when they are wrong."""

from pathlib import Path

from swather.errors import InputError
from swather.model.assignment import BALANCED, Balanced, Plan, check
from swather.model.assignment_text import plan_of, plan_of_csv, plan_of_toml
from swather.settings import Settings


def planning_of(settings: Settings) -> Plan | Balanced | None:
    """The plan that the setting `partitions` gives, or how to make it; None if it is not set."""
    given = settings.partitions
    if given is None:
        return None
    if given == BALANCED:
        return Balanced(settings.workers)
    if isinstance(given, str):
        return _without_faults(read_plan(Path(given)), given)
    try:
        plan = plan_of(given)
    except InputError as error:
        raise InputError(f"the setting partitions cannot be used: {error}") from error
    return _without_faults(plan, "the setting partitions")


def read_plan(path: Path) -> Plan:
    """A plan from a .csv file, or from a TOML file; with mistakes, as long as it can be read."""
    text = _read(path)
    try:
        return plan_of_csv(text) if path.suffix.lower() == ".csv" else plan_of_toml(text)
    except InputError as error:
        raise InputError(f"the plan of partitions in {path} cannot be used: {error}") from error


def read_names(path: Path) -> set[str]:
    """The names in a text file, one on a line or separated by commas."""
    names = {name.strip() for line in _read(path).splitlines() for name in line.split(",")}
    return names - {""}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read: {reason}") from error


def _without_faults(plan: Plan, where: str) -> Plan:
    faults = check(plan)
    if not faults:
        return plan
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    raise InputError(f"the plan of partitions in {where} is wrong: {faults[0].text}{more}")
