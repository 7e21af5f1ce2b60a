"""The result of a run, for callers in Python."""

import shutil
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import swather.store
from swather.model.change import Change
from swather.model.payload import decode
from swather.model.run import Counts, RunState
from swather.runs.arrow_table import load_pyarrow, record_batches, schema_of
from swather.runs.changes import compared
from swather.runs.data_frame import data_frame, load_pandas
from swather.runs.export import export, spooled
from swather.runs.items import Reading
from swather.runs.summary import FailedGroup, Summary


class RunResult:
    """A run at its end: how its tasks ended, and what they produced.

    Iterating over it gives the items. They are read from the database each time, so millions of
    them need not fit into memory.
    """

    def __init__(self, summary: Summary, *, temporary: Path | None = None) -> None:
        self._summary = summary
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    @property
    def run(self) -> str:
        """The run's name."""
        return self._summary.run

    @property
    def url(self) -> str:
        """The database it is in."""
        return self._summary.url

    @property
    def state(self) -> RunState:
        return self._summary.state

    @property
    def counts(self) -> Counts:
        """Tasks by state; items, files and retries."""
        return self._summary.counts

    @property
    def completed(self) -> int:
        return self.counts.completed

    @property
    def failed(self) -> int:
        return self.counts.failed

    @property
    def failures(self) -> list[FailedGroup]:
        """How most of its failed tasks failed, similar failures grouped."""
        return self._summary.groups

    def items(self) -> Iterator[Any]:
        """What was scraped, in commit order."""
        with self._reading() as reading:
            for lines in reading:
                yield from map(decode, lines)

    def __iter__(self) -> Iterator[Any]:
        return self.items()

    def changes(
        self,
        since: "RunResult | str | None" = None,
        *,
        key: Sequence[str] = (),
        ignore: Collection[str] = (),
        min_percent: float = 0,
    ) -> Iterator[Change]:
        """What is new, gone or changed since an earlier run of the same database, in the order of
        the keys; by default since the last finished run of the scraper before this one.
        """
        store = swather.store.open(self.url)
        try:
            earlier = since.run if isinstance(since, RunResult) else since
            run = store.runs.get(self.run)
            yield from compared(
                store, run, earlier, key=key, ignored=ignore, min_percent=min_percent
            )
        finally:
            store.close()

    def to_pandas(self) -> Any:
        """The items as a pandas.DataFrame, a row per item. Needs `pip install 'swather[pandas]'`.

        Whole numbers and booleans stay so when some are missing; nested values are Python objects.
        """
        load_pandas()
        with self._reading() as reading, spooled(reading) as (items, columns):
            return data_frame(items, columns)

    def to_arrow(self) -> Any:
        """The items as a pyarrow.Table, with the columns of a Parquet export. Needs
        `pip install 'swather[parquet]'`.
        """
        arrow = load_pyarrow()
        with self._reading() as reading, spooled(reading) as (items, columns):
            batches = record_batches(items, columns)
            return arrow.Table.from_batches(batches, schema=schema_of(columns))

    def export(self, path: Path | str) -> Path:
        """Write the items to a .jsonl, .json, .csv, .xlsx or .parquet file."""
        store = swather.store.open(self.url)
        try:
            return export(store, self.run, path).path
        finally:
            store.close()

    @contextmanager
    def _reading(self) -> Iterator[Reading]:
        store = swather.store.open(self.url)
        try:
            yield Reading(store, self.run)
        finally:
            store.close()

    def __str__(self) -> str:
        return "\n".join(self._summary.lines())

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<RunResult {self.run}: {self.state}, {counts.completed} completed, "
            f"{counts.failed} failed, {counts.items} items>"
        )
