"""One video: its subtitles as files, and an item for each of them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from swather.builtin.subtitles import cues, formats, languages, names
from swather.builtin.subtitles.cues import Cue, Unreadable
from swather.builtin.subtitles.languages import Track
from swather.errors import Permanent
from swather.scraping.blocking import SyncContext

if TYPE_CHECKING:
    from swather.builtin.subtitles.downloader import Downloader
    from swather.builtin.subtitles.params import Params

_INFO: Final = "info.json"
_UNFINISHED: Final = frozenset({"is_live", "is_upcoming"})
_MAX_LISTED: Final = 10
# Long lists of addresses that end within hours, and of headers and cookies that are secrets.
_LEFT_OUT: Final = frozenset(
    {"formats", "automatic_captions", "subtitles", "http_headers", "cookies", "url",
     "manifest_url", "fragments", "fragment_base_url"}
)  # fmt: skip


def save(ctx: SyncContext, downloader: "Downloader", info: Mapping[str, Any]) -> None:
    """Save the subtitles of a video as files and items; without any, say why there are none."""
    params: Params = ctx.params
    manual, automatic = info.get("subtitles") or {}, info.get("automatic_captions") or {}
    tracks = languages.chosen(
        manual,
        automatic,
        wanted=params.lang,
        use_automatic=params.automatic,
        every=params.every_lang,
    )
    if not tracks or info.get("live_status") in _UNFINISHED:
        has = [code for code in manual if code != languages.LIVE_CHAT]
        has += [f"{code} (automatic)" for code in automatic if code not in manual]
        others = f"none in {','.join(params.lang)}, only in {_listed(has)}" if has else ""
        raise downloader.why_failed(ctx, info=info, languages=others)
    # What was warned of did not keep it from having subtitles.
    downloader.begin()
    for track in tracks:
        _Saving(ctx, downloader, info, track).save_all(params.format)
    if params.metadata:
        _save_info(ctx, downloader, info)


def _listed(codes: list[str]) -> str:
    return ", ".join(codes[:_MAX_LISTED]) + (" and others" if len(codes) > _MAX_LISTED else "")


class _Saving:
    """The files of one track; what one format was made from serves the others, too."""

    def __init__(
        self, ctx: SyncContext, downloader: "Downloader", info: Mapping[str, Any], track: Track
    ) -> None:
        self._ctx = ctx
        self._downloader = downloader
        self._info = info
        self._track = track
        self._offered = {str(form.get("ext")): form for form in track.formats}
        self._fetched: dict[str, bytes] = {}

    def save_all(self, wanted: tuple[str, ...]) -> None:
        # Those that the site has come first: the others can be made from them.
        for form in sorted(wanted, key=lambda form: form not in self._offered):
            self._save(form)

    def _save(self, form: str) -> None:
        content = self._fetch(form) if form in self._offered else None
        said = self._cues()
        if content is None:
            content = formats.write(said, form, self._track.language)
        values = {
            **_values(self._info),
            "language": self._track.language,
            "kind": "automatic" if self._track.automatic else "manual",
            "format": form,
        }
        name = names.file_name(self._ctx.params.name, values)
        file = self._ctx.save(content, name=name, media_type=formats.MEDIA_TYPES[form])
        self._ctx.emit(
            {
                **described(self._info),
                "language": self._track.language,
                "automatic": self._track.automatic,
                "format": form,
                "file": file.name,
                "sha256": file.sha256,
                "characters": len(formats.text_of(said).strip()),
            }
        )

    def _cues(self) -> list[Cue]:
        """From what was fetched already, or else from the best that the site offers."""
        usable = [form for form in formats.SOURCES if form in self._offered]
        problem = f"the subtitles are only there as {', '.join(self._offered)}"
        for form in sorted(usable, key=lambda form: form not in self._fetched):
            try:
                return cues.read(self._fetch(form), form)
            except Unreadable as error:
                problem = str(error)
        raise Permanent(problem, "unreadable_subtitles")

    def _fetch(self, form: str) -> bytes:
        if form not in self._fetched:
            self._fetched[form] = self._downloader.content_of(self._offered[form], self._info)
        return self._fetched[form]


def described(info: Mapping[str, Any]) -> dict[str, Any]:
    """What every item says of its video."""
    return {
        "video_id": str(info.get("id") or ""),
        "url": info.get("webpage_url") or info.get("original_url"),
        "title": info.get("title"),
        "channel": info.get("channel") or info.get("uploader"),
        "published": _published(info),
        "duration": info.get("duration"),
    }


def _values(info: Mapping[str, Any]) -> dict[str, str]:
    """What a template may name of a video."""
    return {
        "id": str(info.get("id") or ""),
        "title": str(info.get("title") or info.get("id") or ""),
        "channel": str(info.get("channel") or info.get("uploader") or ""),
        "channel_id": str(info.get("channel_id") or info.get("uploader_id") or ""),
        "site": str(info.get("extractor") or ""),
        "published": (_published(info) or "")[:10],
    }


def _published(info: Mapping[str, Any]) -> str | None:
    """The instant if it is known, else the day."""
    at = info.get("timestamp") or info.get("release_timestamp")
    if isinstance(at, int | float):
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    day = str(info.get("upload_date") or info.get("release_date") or "")
    return f"{day[:4]}-{day[4:6]}-{day[6:8]}" if len(day) == 8 else None


def _save_info(ctx: SyncContext, downloader: "Downloader", info: Mapping[str, Any]) -> None:
    known = downloader.ydl.sanitize_info(dict(info), remove_private_keys=True)
    kept = {name: value for name, value in known.items() if name not in _LEFT_OUT}
    content = msgspec.json.format(msgspec.json.encode(kept), indent=2)
    template = names.without_language(ctx.params.name)
    name = names.file_name(template, {**_values(info), "format": _INFO})
    file = ctx.save(content, name=name, media_type="application/json")
    ctx.emit(
        {
            **described(info),
            "language": None,
            "automatic": None,
            "format": _INFO,
            "file": file.name,
            "sha256": file.sha256,
            "characters": len(content.decode()),
        }
    )
