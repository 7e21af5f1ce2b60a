"""Expands lists of videos into targets: channels, playlists, and lists of other sites."""

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec
from yt_dlp.utils import DownloadError, ExtractorError, PagedList

from swather.builtin.subtitles import video
from swather.builtin.subtitles.evidence import readable
from swather.builtin.subtitles.known import Known
from swather.builtin.subtitles.tab_pages import TabPages
from swather.builtin.subtitles.targets import Listing, Page, Video, wanted_of
from swather.errors import BadTarget, Later, Permanent, Transient

if TYPE_CHECKING:
    from swather.builtin.subtitles.downloader import Downloader
    from swather.scraping.blocking import SyncContext

# Entries between checkpoints where a site's pages cannot be told apart.
_BATCH: Final = 100
# An attempt has a timeout, and a channel may have a thousand pages: then another one follows.
_TURN_SECONDS: Final = 60.0
_MAX_REDIRECTS: Final = 5
# What YouTube answers to a continuation that is too old.
_EXPIRED: Final = frozenset({400, 404})
_MISSING: Final = (
    "playlist does not exist", "playlist is private", "channel does not exist", "http error 404",
)  # fmt: skip


class Place(msgspec.Struct, frozen=True):
    """Where an expansion stands: the cursor of its checkpoints.

    `part` numbers the lists of a list of lists: a channel has its videos, streams and shorts.
    `page` names the page of the part, where pages can be told apart, and `taken` counts the
    entries taken since it began. The rest counts entries of all parts.
    """

    part: int = 0
    page: str = ""
    taken: int = 0
    found: int = 0
    saved: int = 0
    known: int = 0
    unusable: int = 0


def expand(
    ctx: "SyncContext",
    downloader: "Downloader",
    url: str,
    known: Known,
    opened: dict[str, Any] | None = None,
) -> None:
    """Add the videos of the list as targets, with a checkpoint for each page. `opened` is what
    yt-dlp knows of a list that it has looked at already.

    Of a list of 20,000 videos one page is in memory, and after a kill it resumes at its page.
    """
    pages = TabPages()
    downloader.ydl.add_info_extractor(pages)
    parts = _parts_of(_opened(downloader.ydl, url) if opened is None else opened)
    expansion = Expansion(ctx, downloader, pages, known)
    for part in parts[expansion.place.part :]:
        expansion.take_part(part)
    expansion.report(url)


class Expansion:
    """One attempt at a list; `place` is how far it and those before it have come."""

    def __init__(
        self, ctx: "SyncContext", downloader: "Downloader", pages: TabPages, known: Known
    ) -> None:
        self._ctx = ctx
        self._downloader = downloader
        self._pages = pages
        self._known = known
        self._ends_at = time.monotonic() + _TURN_SECONDS
        self.place = msgspec.convert(ctx.cursor, Place) if ctx.cursor else Place()

    def take_part(self, part: Mapping[str, Any]) -> None:
        self._pages.page = resumed_at = self.place.page
        batch: list[Mapping[str, Any]] = []
        try:
            for entry in _entries_of(part, self.place.taken):
                resumed_at = ""
                is_new_page = self._pages.page != self.place.page
                if is_new_page or len(batch) == _BATCH:
                    taken = 0 if is_new_page else self.place.taken + len(batch)
                    self._commit(batch, page=self._pages.page, taken=taken)
                    self._take_turns()
                    batch = []
                batch.append(entry)
        except ExtractorError as error:
            if resumed_at and getattr(error.cause, "status", None) in _EXPIRED:
                self._ctx.checkpoint(None)
                raise Transient(
                    "the page where the list was interrupted has expired; it is read again from "
                    "its beginning",
                    after=0,
                ) from error
            raise
        self._commit(batch, part=self.place.part + 1, page="", taken=0)

    def _commit(self, batch: list[Mapping[str, Any]], **moved: Any) -> None:
        complete = [entry for entry in batch if _is_complete(entry)]
        for entry in complete:
            self._save(entry)
        others = (_target_of(entry) for entry in batch if not _is_complete(entry))
        targets = [target for target in others if target is not None]
        known = self._known.among(targets)
        new = [target for target in targets if target not in known]
        for target in new:
            self._ctx.add(target)
        self.place = msgspec.structs.replace(
            self.place,
            found=self.place.found + len(batch),
            saved=self.place.saved + len(complete),
            known=self.place.known + len(targets) - len(new),
            unusable=self.place.unusable + len(batch) - len(complete) - len(targets),
            **moved,
        )
        self._ctx.checkpoint(msgspec.to_builtins(self.place))
        self._ctx.progress(self.place.found, note=f"{self.place.found:,} entries listed")

    def _save(self, entry: Mapping[str, Any]) -> None:
        """Some sites have a page of many videos, none of which has an address of its own."""
        self._downloader.begin()
        try:
            video.save(self._ctx, self._downloader, self._downloader.info_of({**entry}))
        except (Permanent, Later) as ending:
            self._ctx.log.warning("%s: %s", entry.get("title") or entry.get("id"), ending)

    def _take_turns(self) -> None:
        if time.monotonic() > self._ends_at:
            raise Later(f"{self.place.found:,} entries listed so far, more to come", after=0)

    def report(self, url: str) -> None:
        place = self.place
        new = place.found - place.saved - place.known - place.unusable
        said = [f"{new:,} new"]
        if place.saved:
            said.append(f"{place.saved:,} that are on that page")
        if place.known:
            said.append(f"{place.known:,} skipped, as earlier runs have them (--known refresh)")
        if place.unusable:
            said.append(f"{place.unusable:,} that are no videos")
        self._ctx.log.info("%s has %s entries: %s", url, f"{place.found:,}", ", ".join(said))
        self._ctx.skip(place.known)


def _opened(ydl: Any, url: str) -> dict[str, Any]:
    """What yt-dlp knows of the list before it reads its entries."""
    address = url
    for _ in range(_MAX_REDIRECTS):
        try:
            info: dict[str, Any] = ydl.extract_info(address, download=False, process=False)
        except DownloadError as error:
            raise _explained(error, url) from error
        if info.get("_type", "video") not in {"url", "url_transparent"}:
            return info
        address = info["url"]
    raise Permanent(f"{url} only leads from one address to another", reason="too_many_redirects")


def _explained(error: Exception, url: str) -> Exception:
    """The same error, unless it says that there is no such list, or none for us."""
    said = readable(str(error))
    if not any(words in said.lower() for words in _MISSING):
        return error
    return Permanent(
        f"{url} does not exist or is private; pass --cookies FILE if your account may see it "
        f"({said})",
        reason="list_unavailable",
    )


def _parts_of(info: dict[str, Any]) -> list[dict[str, Any]]:
    """The lists of a list of lists, else the list itself."""
    entries = info.get("entries")
    if isinstance(entries, list) and all(entry.get("_type") == "playlist" for entry in entries):
        return entries
    return [info]


def _entries_of(part: Mapping[str, Any], start: int) -> Iterator[Mapping[str, Any]]:
    """One after another, from number `start` on; some sites have empty ones."""
    entries = part.get("entries")
    if entries is None:
        return iter(())
    if isinstance(entries, PagedList):
        return filter(None, _sliced(entries, start))
    return filter(None, islice(entries, start, None))


def _sliced(entries: Any, start: int) -> Iterator[Mapping[str, Any]]:
    """Of a list that fetches its pages when they are asked for: those before `start` are not."""
    is_over = False
    while not is_over:
        batch = entries.getslice(start, start + _BATCH)
        # It keeps all it has fetched.
        entries._cache.clear()  # noqa: SLF001 - there is no other way
        yield from batch
        start += _BATCH
        is_over = len(batch) < _BATCH


def _is_complete(entry: Mapping[str, Any]) -> bool:
    """Whether it is a video itself, not the address of one."""
    return bool(entry.get("_type", "video") == "video")


def _target_of(entry: Mapping[str, Any]) -> dict[str, str] | None:
    """None for what is neither a video nor a list of videos."""
    try:
        wanted = wanted_of(entry.get("url") or entry.get("webpage_url"))
    except BadTarget:
        return None
    match wanted:
        case Video(video_id):
            return {"video": video_id}
        case Listing(url):
            return {"list": url}
        case Page(url):
            return {"url": url}
