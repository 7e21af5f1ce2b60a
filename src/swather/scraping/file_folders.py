"""Where the files of a run go, and what is looked after in all these places."""

import logging
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swather.file_location import BucketFolder, Location, below, read_location
from swather.model.run import Run, RunState
from swather.net.bucket import BucketAccess, BucketUnavailable
from swather.scraping.bucket_files import BucketFiles
from swather.scraping.files import FileStore
from swather.scraping.folder_files import FolderFiles
from swather.settings_row import FILES_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swather.model.outcome import File
    from swather.model.results import Part
    from swather.scraping.scraper import Scraper
    from swather.store.ports import Store

_MAX_OPEN_RUNS: Final = 1_000

_log = logging.getLogger(__name__)


def files_at(location: Location, access: BucketAccess) -> FileStore:
    """The files in a folder or a bucket."""
    if isinstance(location, BucketFolder):
        return BucketFiles(location, access)
    return FolderFiles(location)


class FileFolders:
    """The folders and buckets of this process. From the first that names one: the command that
    began the run (--output-dir), the settings of this process (`given`), the scraper's decorator.
    Relative ones are below `start`, where this process was started.

    A run's row comes from a database that others may write to. So its folder counts only if it
    is a folder for files already, which the command made, or in the bucket that this process uses
    anyway: nobody can point a worker elsewhere.
    """

    def __init__(
        self,
        scrapers: "Mapping[str, Scraper]",
        given: Location | None,
        *,
        start: Path,
        access: BucketAccess | None = None,
    ) -> None:
        self._scrapers = scrapers
        self._given = given
        self._start = start
        self._access = access or BucketAccess()
        self._stores: dict[Location, FileStore] = {}
        self._strange: set[int] = set()

    def of(self, run: Run) -> FileStore:
        """Where the files of a run are. The scraper is one of those that this process has."""
        return self._noted(run) or self._own(run.scraper)

    def at(self, folder: str) -> FileStore:
        """One that was asked for before."""
        return self._stores[read_location(folder)]

    def link_missing(self, store: "Store") -> bool:
        """Name what was committed by workers that died before they could; False if a storage is
        away. Content that is not here is on the machine of its worker; files of scrapers that this
        process does not have, in folders that it does not know, are left to those that have them.
        """
        after = (0, 0)
        is_away = False
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
                try:
                    store.results.mark_linked(folder.link_parts(parts))
                except BucketUnavailable:
                    is_away = True
        return not is_away

    def prune_daily(self, store: "Store") -> None:
        """Remove old content that no row refers to, from the folders of this process and from
        those that open runs name.
        """
        for run in store.runs.find(state=RunState.OPEN, limit=_MAX_OPEN_RUNS):
            self._known(run)
        for folder in {*map(self._own, self._scrapers), *self._stores.values()}:
            try:
                folder.prune_daily(store.results.has_file)
            except BucketUnavailable as error:
                _log.warning("old files are not pruned now: %s", error)

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
        if self._may_use(run.files_folder, run.scraper):
            return self._store_at(run.files_folder)
        if run.id not in self._strange:
            self._strange.add(run.id)
            _log.warning(
                "run %s names the output folder %s, which %s; its files go to %s",
                run.name,
                run.files_folder,
                "is in a bucket that files_folder does not name here"
                if isinstance(run.files_folder, BucketFolder)
                else "is not on this machine",
                self._own(run.scraper).location,
            )
        return None

    def _may_use(self, noted: Location, scraper: str) -> bool:
        if isinstance(noted, BucketFolder):
            own = self._own_location(scraper)
            return isinstance(own, BucketFolder) and own.bucket == noted.bucket
        return FolderFiles(noted).is_made

    def _own(self, scraper: str) -> FileStore:
        return self._store_at(self._own_location(scraper))

    def _own_location(self, scraper: str) -> Location:
        found = self._scrapers.get(scraper)
        named = FILES_FOLDER if found is None else found.options.files_folder
        return below(self._start, self._given or named)

    def _store_at(self, location: Location) -> FileStore:
        if location not in self._stores:
            self._stores[location] = files_at(location, self._access)
        return self._stores[location]
