"""Which files the results of a run went to, as it is kept with the run."""

from pathlib import Path
from typing import Any, Final

from swather.model.run import RESERVED_PARAM, Run
from swather.runs.start import MAX_RUNS_SEEN
from swather.store.ports import Store

# The file that it writes to, and all CSV and Parquet files that it has written.
_OUTPUT: Final = "output"
_TABLES: Final = "tables"


def output_of(run: Run) -> Path | None:
    """The file that the run's results went to, as far as it is known."""
    noted = _kept(run).get(_OUTPUT)
    return Path(noted) if isinstance(noted, str) else None


def note_output(store: Store, run: Run, path: Path) -> None:
    store.runs.record(run.name, {_OUTPUT: str(path.resolve())})


def note_table(store: Store, run: Run, path: Path) -> None:
    store.runs.record(run.name, {_TABLES: sorted(_tables(run) | {str(path.resolve())})})


def note_move(store: Store, run: Run, old: Path, new: Path) -> None:
    """A table of the run has another name now."""
    was, is_now = str(old.resolve()), str(new.resolve())
    noted: dict[str, Any] = {_TABLES: sorted(_tables(run) - {was} | {is_now})}
    if _kept(run).get(_OUTPUT) == was:
        noted[_OUTPUT] = is_now
    store.runs.record(run.name, noted)


def writer_of(store: Store, table: Path) -> Run | None:
    """The run that a CSV or Parquet file is of; None when no run here has written it."""
    path = str(table.resolve())
    runs = store.runs.find(limit=MAX_RUNS_SEEN)
    return next((run for run in runs if path in _tables(run)), None)


def _tables(run: Run) -> set[str]:
    kept = _kept(run)
    return {*kept.get(_TABLES, ()), *filter(None, [kept.get(_OUTPUT)])}


def _kept(run: Run) -> dict[str, Any]:
    kept: dict[str, Any] = run.params.get(RESERVED_PARAM, {})
    return kept
