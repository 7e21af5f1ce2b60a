"""Files that scrapers saved, as answers: nothing in one can run on this server's origin."""

from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import quote

from fastapi.responses import StreamingResponse

from swather.api.problems import Refused
from swather.errors import LoadError, MissingExtra
from swather.file_location import Location
from swather.model.results import StoredFile
from swather.model.run import Run
from swather.net.bucket import BucketUnavailable
from swather.runs.storage import bucket_access
from swather.scraping import registry
from swather.scraping.file_folders import FileFolders
from swather.scraping.files import FileStore
from swather.scraping.registered import registered
from swather.settings import Settings

# What a browser may draw here. Everything else is only ever saved: HTML, SVG and PDF can run code.
SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
# Even of these, whatever they turn out to hold: no script, no frame, no request.
_POLICY: Final = "default-src 'none'; sandbox"


class SavedFiles:
    """Of all runs, as far as their folders can be seen from here."""

    def __init__(self, settings: Settings, *, start: Path) -> None:
        self._settings = settings
        self._start = start

    def location_of(self, run: Run) -> Location:
        """The folder or bucket of the files of a run."""
        return self._folder_of(run).location

    def chunks(self, run: Run, file: StoredFile) -> Iterator[bytes]:
        """The content of a file; Refused if it is not here."""
        try:
            pieces = self._folder_of(run).chunks_of(file.sha256)
            return chain([next(pieces, b"")], pieces)
        except FileNotFoundError:
            raise Refused(
                HTTPStatus.NOT_FOUND,
                f"the content of {file.name!r} is not on this machine; it is where its worker ran, "
                "unless files_folder is a bucket",
            ) from None
        except BucketUnavailable as error:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from error

    def answer(self, run: Run, file: StoredFile) -> StreamingResponse:
        """A picture is shown, any other file is saved under its name."""
        is_shown = file.media_type in SHOWN
        kind = "inline" if is_shown else "attachment"
        last = file.name.rpartition("/")[2]
        return StreamingResponse(
            self.chunks(run, file),
            media_type=file.media_type if is_shown else "application/octet-stream",
            headers={
                "content-length": str(file.size_bytes),
                "content-disposition": f"{kind}; filename*=UTF-8''{quote(last, safe='')}",
                "content-security-policy": _POLICY,
                # A hash names it: it cannot change.
                "cache-control": "private, max-age=86400, immutable",
            },
        )

    def _folder_of(self, run: Run) -> FileStore:
        """Where a worker on this machine, started here, would save them."""
        scrapers = {}
        if run.scraper in registered():
            # Its code says where files go only if nothing else does.
            with suppress(LoadError, MissingExtra):
                scrapers[run.scraper] = registry.load(run.scraper)
        return FileFolders(
            scrapers,
            self._settings.files_folder,
            start=self._start,
            access=bucket_access(self._settings),
        ).of(run)
