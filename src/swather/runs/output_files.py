"""Which files the results of a run went to, as recorded with the run."""

from pathlib import Path
from typing import Any, Final

from swather.model.run import RESERVED_PARAM, Run
from swather.runs.run_names import MAX_RUNS_SEEN
from swather.store.ports import Store

# The file it writes to, and all files it has written at its end: CSV, Excel, Parquet, JSON.
_OUTPUT: Final = "output"
_TABLES: Final = "tables"


def output_of(run: Run) -> Path | None:
    """The file that the run's results went to, if known."""
    recorded = _reserved(run).get(_OUTPUT)
    return Path(recorded) if isinstance(recorded, str) else None


def record_output(store: Store, run: Run, path: Path) -> None:
    store.runs.record(run.name, {_OUTPUT: str(path.resolve())})


def record_table(store: Store, run: Run, path: Path) -> None:
    store.runs.record(run.name, {_TABLES: sorted(_tables(run) | {str(path.resolve())})})


def record_move(store: Store, run: Run, old: Path, new: Path) -> None:
    """Record that a table of the run was renamed."""
    was, is_now = str(old.resolve()), str(new.resolve())
    recorded: dict[str, Any] = {_TABLES: sorted(_tables(run) - {was} | {is_now})}
    if _reserved(run).get(_OUTPUT) == was:
        recorded[_OUTPUT] = is_now
    store.runs.record(run.name, recorded)


def writer_of(store: Store, table: Path) -> Run | None:
    """The run that wrote a file at its end; None when no run here did."""
    path = str(table.resolve())
    runs = store.runs.find(limit=MAX_RUNS_SEEN)
    return next((run for run in runs if path in _tables(run)), None)


def _tables(run: Run) -> set[str]:
    reserved = _reserved(run)
    return {*reserved.get(_TABLES, ()), *filter(None, [reserved.get(_OUTPUT)])}


def _reserved(run: Run) -> dict[str, Any]:
    reserved: dict[str, Any] = run.params.get(RESERVED_PARAM, {})
    return reserved
