"""Where the results of a run go: a JSONL file written live, CSV or Parquet at the end."""

import os
from pathlib import Path
from typing import Any

from swather.errors import InputError
from swather.model.run import Run
from swather.runs.export import Format, check_format, export, format_of
from swather.runs.live import LiveExporter
from swather.runs.results_file import position_path, set_aside
from swather.store.ports import Store


class Results:
    """A file that is checked before anything is done, and complete when the run is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.form = format_of(path)
        check_format(self.form)
        self._exporter: LiveExporter | None = None
        folder = path.parent
        if not folder.is_dir():
            raise InputError(f"results cannot be written to {path}: there is no folder {folder}")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise InputError(f"results cannot be written to {path}: permission denied")
        if self.form is Format.JSONL:
            self._refuse_a_strangers_file()

    def begin(self, store: Store, run: Run) -> str | None:
        """Write on from here; says where results of another run went that were in the way."""
        if self.form is not Format.JSONL:
            return None
        aside = set_aside(self.path, run)
        self._exporter = LiveExporter(store, run.name, self.path)
        self._exporter.start()
        return None if aside is None else f"the results of an earlier run are now in {aside}"

    def finish(self, store: Store, run: Run) -> dict[str, Any]:
        """Complete the file; what it holds."""
        if self._exporter is not None:
            written = self._exporter.finish()
            self._exporter = None
            return {"path": str(self.path), "items": written.lines, "missing": written.missing}
        exported = export(store, run.name, self.path)
        return {"path": str(self.path), "items": exported.items, "missing": exported.missing}

    def rewrite(self, store: Store, run: Run) -> dict[str, Any]:
        """Write the whole file anew; what it holds."""
        if self.form is Format.JSONL:
            set_aside(self.path, run)
            self._exporter = LiveExporter(store, run.name, self.path)
            self._exporter.start_over()
        return self.finish(store, run)

    def _refuse_a_strangers_file(self) -> None:
        if not self.path.exists() or not self.path.stat().st_size:
            return
        if not position_path(self.path).exists():
            raise InputError(
                f"{self.path} exists and is no results file of ours; name another with -o"
            )
