"""Which folder the files of a run go to, and what is looked after in all of them."""

import logging
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swather.model.run import Run, RunState
from swather.scraping.files import FileStore
from swather.settings_row import FILES_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swather.model.outcome import File
    from swather.model.results import Part
    from swather.scraping.scraper import Scraper
    from swather.store.ports import Store

_MAX_OPEN_RUNS: Final = 1_000

_log = logging.getLogger(__name__)


class FileFolders:
    """The folders of this machine. From the first that names one: the command that began the run
    (--output-dir), the settings of this process (`given`), the scraper's decorator. Relative ones
    are below `start`, where this process was started.

    A run's row comes from a database that others may write to. So its folder counts only if it
    is a folder for files already, which the command made: nobody can point a worker elsewhere.
    """

    def __init__(
        self, scrapers: "Mapping[str, Scraper]", given: Path | None, *, start: Path
    ) -> None:
        self._scrapers = scrapers
        self._given = given
        self._start = start
        self._stores: dict[Path, FileStore] = {}
        self._strange: set[int] = set()

    def of(self, run: Run) -> FileStore:
        """Where the files of a run are. The scraper is one of those that this process has."""
        return self._noted(run) or self._own(run.scraper)

    def at(self, folder: str) -> FileStore:
        """One that was asked for before."""
        return self._stores[Path(folder)]

    def link_missing(self, store: "Store") -> None:
        """Name what was committed by workers that died before they could. Content that is not here
        is on the machine of its worker; files of scrapers that this process does not have, in
        folders that it does not know, are left to those that have them.
        """
        after = (0, 0)
        known: dict[int, FileStore | None] = {}
        while unlinked := store.results.unlinked(after=after):
            after = unlinked[-1].part
            here: dict[FileStore, dict[Part, list[File]]] = defaultdict(dict)
            for part, run_id, files in unlinked:
                if run_id not in known:
                    known[run_id] = self._known(store.runs.by_id(run_id))
                folder = known[run_id]
                if folder is not None and folder.has_all(files):
                    here[folder][part] = files
            for folder, parts in here.items():
                store.results.mark_linked(folder.link_parts(parts))

    def prune_daily(self, store: "Store") -> None:
        """Remove old content that no row refers to, from the folders of this process and from
        those that open runs name.
        """
        for run in store.runs.find(state=RunState.OPEN, limit=_MAX_OPEN_RUNS):
            self._known(run)
        for folder in {*map(self._own, self._scrapers), *self._stores.values()}:
            folder.prune_daily(store.results.has_file)

    def sweep(self) -> None:
        """Remove what dead processes of this machine have not finished."""
        for folder in {*map(self._own, self._scrapers), *self._stores.values()}:
            folder.sweep()

    def _known(self, run: Run) -> FileStore | None:
        if self._given is None and run.scraper not in self._scrapers:
            return self._noted(run)
        return self.of(run)

    def _noted(self, run: Run) -> FileStore | None:
        if run.files_folder is None:
            return None
        folder = self._store_at(run.files_folder)
        if folder.is_made:
            return folder
        if run.id not in self._strange:
            self._strange.add(run.id)
            _log.warning(
                "run %s names the output folder %s, which is not on this machine; its files go to "
                "%s", run.name, run.files_folder, self._own(run.scraper).folder,
            )  # fmt: skip
        return None

    def _own(self, scraper: str) -> FileStore:
        found = self._scrapers.get(scraper)
        named = FILES_FOLDER if found is None else found.options.files_folder
        return self._store_at(self._start / (self._given or named))

    def _store_at(self, folder: Path) -> FileStore:
        if folder not in self._stores:
            self._stores[folder] = FileStore(folder)
        return self._stores[folder]
