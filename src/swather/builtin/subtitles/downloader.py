"""One YoutubeDL: what it is asked for, what it says, and the files it writes.

Importing this imports yt-dlp, which takes half a second.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from yt_dlp import YoutubeDL
from yt_dlp.networking.exceptions import HTTPError, RequestError, TransportError

from swather.builtin.subtitles import ytdl_arguments
from swather.builtin.subtitles.classes import ending_of
from swather.builtin.subtitles.evidence import Evidence, readable
from swather.builtin.subtitles.params import Params, check_cookie_file
from swather.errors import Later, SwatherError
from swather.net.errors import TooLarge
from swather.scraping.blocking import SyncContext

MAX_TRACK_BYTES: Final = 64 << 20
_COOKIES_AGAIN_SECONDS: Final = 60.0
_MAX_HOPS: Final = 5
_MAX_KEPT: Final = 100
_MAX_LOGGED: Final = 10
_LISTS: Final = frozenset({"playlist", "multi_video"})


class Warnings:
    """yt-dlp's logger: keeps what it warns of while it works on a target, and prints nothing."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def debug(self, message: object) -> None:
        """What it does; of no interest."""

    info = debug
    # Raised as well.
    error = debug

    def warning(self, message: object) -> None:
        if len(self.texts) < _MAX_KEPT:
            self.texts.append(str(message))


class _YoutubeDL(YoutubeDL):  # type: ignore[misc]
    """Keeps the requests that failed: an extractor that goes on without one drops its status."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.failed: list[RequestError] = []
        super().__init__(options)

    def urlopen(self, req: Any) -> Any:
        try:
            return super().urlopen(req)
        except RequestError as error:
            if len(self.failed) < _MAX_KEPT:
                self.failed.append(error)
            raise

    def save_cookies(self) -> None:
        """Not at all: several children share one file of cookies."""


class Downloader:
    """A YoutubeDL for one target after another, with the parameters of a run."""

    def __init__(self, params: Params) -> None:
        if params.cookies is not None:
            _require_cookies(Path(params.cookies))
        self._warnings = Warnings()
        self.ydl = _YoutubeDL(_options(params, self._warnings))

    @property
    def proxies(self) -> list[str]:
        """URLs of the proxies that requests go through."""
        return [url for name, url in self.ydl.proxies.items() if url and name != "no"]

    def begin(self) -> None:
        """Forget what was said so far: of the target before, or of a step that went well."""
        self._warnings.texts.clear()
        for error in self.ydl.failed:
            if isinstance(error, HTTPError):
                error.close()
        self.ydl.failed.clear()

    def why_failed(
        self,
        ctx: SyncContext,
        error: BaseException | None = None,
        *,
        info: Mapping[str, Any] | None = None,
        languages: str = "",
    ) -> SwatherError:
        """What to raise for a target whose subtitles could not be had, by all that was said of it
        since `begin`.
        """
        for warning in dict.fromkeys(self._warnings.texts[:_MAX_LOGGED]):
            ctx.log.info("yt-dlp: %s", readable(warning))
        return ending_of(
            Evidence(
                error=error,
                warnings=tuple(self._warnings.texts),
                requests=tuple(self.ydl.failed),
                info=info or {},
                failures=ctx.task.failures,
                uses_proxy=bool(self.proxies),
                skips_live=ctx.params.live == "skip",
                languages=languages,
            )
        )

    def close(self) -> None:
        self.begin()
        self.ydl.close()

    def find(self, url: str) -> dict[str, Any]:
        """What is behind a URL: a video, or a list whose entries have not been asked for."""
        found: dict[str, Any] = {"_type": "url", "url": url}
        for _ in range(_MAX_HOPS):
            if found.get("_type") != "url":
                break
            found = self.ydl.extract_info(
                found["url"], ie_key=found.get("ie_key"), download=False, process=False
            )
        return found

    def is_list(self, found: Mapping[str, Any]) -> bool:
        return found.get("_type") in _LISTS

    def info_of(self, found: dict[str, Any]) -> dict[str, Any]:
        """All that is known of a video that was found."""
        info: dict[str, Any] = self.ydl.process_ie_result(found, download=False)
        return info

    def content_of(self, form: Mapping[str, Any], info: Mapping[str, Any]) -> bytes:
        """The subtitles in one of the formats that the site offers."""
        if (given := form.get("data")) is not None:
            return str(given).encode()
        track = {"http_headers": info.get("http_headers"), **form}
        with _folder() as folder:
            path = folder / "track"
            # What it returns is None for a track in pieces.
            is_complete, _ = self.ydl.dl(str(path), track, subtitle=True)
            if is_complete is False or not path.is_file() or not path.stat().st_size:
                raise TransportError("yt-dlp wrote no subtitles")
            return path.read_bytes()


def _require_cookies(path: Path) -> None:
    """Without them every video would come to another end than the person asked for."""
    try:
        check_cookie_file(path)
    except ValueError as error:
        raise Later(f"{error} on this machine", after=_COOKIES_AGAIN_SECONDS) from error


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="subtitles-") as folder:
        yield Path(folder)


def _limit_size(status: Mapping[str, Any]) -> None:
    if (status.get("downloaded_bytes") or 0) > MAX_TRACK_BYTES:
        raise TooLarge(f"the subtitles are larger than {MAX_TRACK_BYTES >> 20} MB")


def _options(params: Params, warnings: Warnings) -> dict[str, Any]:
    given = ytdl_arguments.options_of(params.ytdl)
    extractor_args = {"youtube": {"skip": ["hls", "dash", "translated_subs"]}}
    for name, arguments in given.pop("extractor_args", {}).items():
        extractor_args[name] = {**extractor_args.get(name, {}), **arguments}
    return {
        "logger": warnings,
        "color": {"stdout": "no_color", "stderr": "no_color"},
        "noprogress": True,
        "consoletitle": False,
        "skip_download": True,
        "writesubtitles": True,
        "writeautomaticsub": True,
        # Swather decides what is tried again, and when.
        "retries": 0,
        "extractor_retries": 0,
        "fragment_retries": 0,
        "file_access_retries": 0,
        "skip_unavailable_fragments": False,
        "ignoreerrors": False,
        # A video that cannot be played may have subtitles. Why it cannot is then only a warning.
        "ignore_no_formats_error": True,
        "check_formats": False,
        "socket_timeout": 10,
        "cachedir": False,
        "noplaylist": True,
        "continuedl": False,
        "updatetime": False,
        "progress_hooks": [_limit_size],
        "js_runtimes": {"node": {}, "deno": {}},
        "cookiefile": params.cookies,
        **given,
        "extractor_args": extractor_args,
    }
