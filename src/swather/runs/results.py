"""Where the results of a run go: a JSONL file is written live, other formats at the end."""

import os
from pathlib import Path
from typing import Any

from swather.errors import InputError
from swather.model.run import Run
from swather.runs.export import Format, check_format, export, format_of
from swather.runs.live import LiveExporter
from swather.runs.output_files import record_move, record_output, record_table, writer_of
from swather.runs.results_file import aside_for, position_path, set_aside, table_aside_for
from swather.store.ports import Store


class Results:
    """A results file: checked before anything is done, complete when the run is."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        # A replay runs scrapers in this process, and they may change the current folder.
        self.path = path.absolute()
        self.form = format_of(path)
        check_format(self.form)
        self._exporter: LiveExporter | None = None
        folder = path.parent
        if not folder.is_dir():
            raise InputError(f"cannot write results to {path}: there is no folder {folder}")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise InputError(f"cannot write results to {path}: permission denied")
        if not self._is_table and self._is_in_use and not position_path(path).exists():
            raise self._is_a_strangers()

    def check(self, store: Store) -> None:
        """Refuse a table that no run of this database has written."""
        if self._is_table and self._is_in_use and writer_of(store, self.path) is None:
            raise self._is_a_strangers()

    def check_rewrite(self, store: Store, run: Run) -> None:
        """Refuse now what `rewrite` would refuse at the end."""
        self.check(store)
        if not self._is_table:
            aside_for(self.path, run)
        elif (other := self._other_writer(store, run)) is not None:
            table_aside_for(self.path, other)

    def begin(self, store: Store, run: Run) -> str | None:
        """Begin to write; returns the new name of another run's results that were in the way."""
        aside = self._set_aside(store, run)
        if not self._is_table:
            self._exporter = LiveExporter(store, run.name, self.path)
            self._exporter.start()
        record_output(store, run, self.path)
        if aside is None:
            return None
        return f"the results of an earlier run are now in {Path(self.name).with_name(aside.name)}"

    def finish(self, store: Store, run: Run) -> dict[str, Any]:
        """Complete the file; returns what it holds."""
        if self._exporter is not None:
            written = self._exporter.finish()
            self._exporter = None
            return {"path": self.name, "items": written.lines, "missing": written.missing}
        exported = export(store, run.name, self.path)
        return {"path": self.name, "items": exported.items, "missing": 0}

    def rewrite(self, store: Store, run: Run) -> dict[str, Any]:
        """Rewrite the whole file; returns what it holds."""
        self._set_aside(store, run)
        if not self._is_table:
            self._exporter = LiveExporter(store, run.name, self.path)
            self._exporter.start_over()
        return self.finish(store, run)

    @property
    def _is_table(self) -> bool:
        return self.form is not Format.JSONL

    @property
    def _is_in_use(self) -> bool:
        return self.path.exists() and self.path.stat().st_size > 0

    def _is_a_strangers(self) -> InputError:
        return InputError(
            f"{self.name} exists and Swather did not write it; "
            "move it, or name another file with -o"
        )

    def _set_aside(self, store: Store, run: Run) -> Path | None:
        """Move another run's results out of the way; returns their new name."""
        if not self._is_table:
            return set_aside(self.path, run)
        aside = None
        if (other := self._other_writer(store, run)) is not None:
            aside = table_aside_for(self.path, other)
            self.path.rename(aside)
            record_move(store, other, self.path, aside)
        record_table(store, run, self.path)
        return aside

    def _other_writer(self, store: Store, run: Run) -> Run | None:
        """The other run that wrote the table that is there."""
        writer = writer_of(store, self.path) if self._is_in_use else None
        return None if writer is None or writer.id == run.id else writer
