"""Downloads the subtitles of videos through yt-dlp, in child processes that can be killed."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from swather.builtin.subtitles import video
from swather.builtin.subtitles.known import Known
from swather.builtin.subtitles.params import Params
from swather.builtin.subtitles.reach import only_public
from swather.builtin.subtitles.targets import Listing, Wanted, key_of, lane_of, wanted_of
from swather.errors import MissingExtra, Permanent, SwatherError
from swather.scraping.blocking import SyncContext, SyncWeb
from swather.scraping.scraper import scraper

if TYPE_CHECKING:
    from swather.builtin.subtitles.downloader import Downloader

if find_spec("yt_dlp") is None:
    raise MissingExtra("subtitles need yt-dlp: pip install 'swather[subtitles]'")


@scraper(
    name="subtitles",
    params=Params,
    isolation="process",
    lane=lane_of,
    key=key_of,
    # YouTube lets a guest watch about 300 videos an hour.
    rate="5/min",
    timeout=120,
    recycle_after=100,
    memory_limit_mb=1024,
    files_folder="subtitles",
    version="1",
)
class Subtitles:
    """Downloads subtitles of videos, playlists and channels on YouTube and other sites.

    A target is the URL or id of a video, a playlist or a channel (@name). Each file is an item.
    Requests are made by yt-dlp, which does not read robots.txt.

        swather try subtitles dQw4w9WgXcQ
        swather run subtitles @name --lang en,de --format srt,txt
        swather run subtitles --targets videos.txt --name '{channel}/{title}.{language}.{format}'
        swather run subtitles PLAYLIST --known refresh --output-dir talks --rate 2/min
    """

    def setup(self, web: SyncWeb) -> None:
        # Not with the module: it takes half a second, and most who load it only want to know it.
        from swather.builtin.subtitles import downloader  # noqa: PLC0415

        self._downloader = downloader.Downloader(web.params)

    def scrape(self, ctx: SyncContext, target: Any) -> None:
        downloader = self._downloader
        downloader.begin()
        known = Known(ctx)
        wanted = wanted_of(target)
        # What a person gives may be on their own network; what a site lists may not.
        named = [wanted.url] if ctx.task.parent_id is None else []
        try:
            with only_public(*named, *downloader.proxies):
                _scrape(ctx, downloader, wanted, known)
        except Permanent as error:
            known.note_end(target, error)
            raise
        except SwatherError:
            raise
        except Exception as error:  # noqa: BLE001 - an extractor may raise anything
            ending = downloader.why_failed(ctx, error)
            known.note_end(target, ending)
            raise ending from ending.__cause__

    def close(self) -> None:
        self._downloader.close()


def _scrape(ctx: SyncContext, downloader: "Downloader", wanted: Wanted, known: Known) -> None:
    from swather.builtin.subtitles import lists  # noqa: PLC0415 - see setup

    if isinstance(wanted, Listing):
        lists.expand(ctx, downloader, wanted.url, known)
        return
    if known.has_files_of(ctx.target):
        ctx.log.info("%s was saved by an earlier run: skipped (--known refresh)", wanted.url)
        ctx.skip()
        return
    found = downloader.find(wanted.url)
    if downloader.is_list(found):
        lists.expand(ctx, downloader, wanted.url, known, found)
    else:
        video.save(ctx, downloader, downloader.info_of(found))
        known.note(ctx.target)
