"""Plans of partitions as people read and write them: a table of TOML, or lines of CSV."""

import csv
import io
import json
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from swather.errors import InputError
from swather.model.assignment import Plan
from swather.model.task import check_name
from swather.model.whole_number import whole_number
from swather.model.worker import MAX_WORKER_NUMBER

# The table of a TOML file that has others, too.
TABLE: Final = "partitions"
_FORM: Final = 'write 0 = ["CA", "MT"]'
_COLUMNS: Final = ("worker", "partition")


def plan_of(table: Mapping[Any, Any]) -> Plan:
    """From a table: lists of partitions by worker number."""
    workers: dict[int, tuple[str, ...]] = {}
    for key, names in table.items():
        number = _number(str(key))
        if number in workers:
            raise InputError(f"worker {number} is listed twice")
        if not isinstance(names, list | tuple):
            raise InputError(f"worker {number} needs a list of partitions, got {names!r}; {_FORM}")
        workers[number] = tuple(_name(name, number) for name in names)
    return Plan(dict(sorted(workers.items())))


def plan_of_toml(text: str) -> Plan:
    """From a file that is such a table, or has it as [partitions] or [tool.swather.partitions]."""
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"it is not TOML: {error}") from error
    if TABLE not in table and isinstance(tool := table.get("tool"), dict):
        table = tool.get("swather", {})
    found = table.get(TABLE, table)
    if not isinstance(found, dict):
        raise InputError(f"[{TABLE}] must be a table, got {found!r}; {_FORM}")
    if found is table and table and not any(key.isdecimal() for key in table):
        raise InputError(f"it has no table [{TABLE}]")
    return plan_of(found)


def plan_of_csv(text: str) -> Plan:
    """From lines of a worker number and a partition; the first line may name the columns."""
    rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\N{BOM}"))) if any(row)]
    workers: dict[int, list[str]] = {}
    worker, partition = 0, 1
    for line, row in enumerate(rows, start=1):
        titles = [cell.strip().lower() for cell in row]
        if line == 1 and set(_COLUMNS) <= set(titles):
            worker, partition = (titles.index(column) for column in _COLUMNS)
        elif len(row) <= max(worker, partition):
            raise InputError(f"row {line} needs a worker number and a partition, got {row!r}")
        else:
            number = _number(row[worker].strip())
            workers.setdefault(number, []).append(_name(row[partition].strip(), number))
    return Plan({number: tuple(names) for number, names in sorted(workers.items())})


def toml_of(plan: Plan, left: Mapping[int, int] | None = None) -> str:
    """A table [partitions], with what is left to do for each worker if that is known."""
    lines = [f"[{TABLE}]"]
    for number, names in plan.workers.items():
        comment = "" if left is None else f"  # {left[number]:,} left to do"
        lines.append(f"{number} = [{', '.join(map(_quoted, names))}]{comment}")
    return "\n".join(lines)


def _quoted(name: str) -> str:
    """As JSON quotes it, which TOML reads the same, but for DEL."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(text: str) -> int:
    number = whole_number(text)
    if number is not None and number <= MAX_WORKER_NUMBER:
        return number
    raise InputError(f"{text!r:.80} is not a worker number (0, 1, 2, …); {_FORM}")


def _name(name: Any, number: int) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"worker {number}: a partition is a name in quotes, got {name!r}")
    return check_name("partition", name.strip())
