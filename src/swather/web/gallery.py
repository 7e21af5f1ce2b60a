"""What a run of `media` has found lately: its newest files, and what was cut short."""

from typing import Any, Final

import msgspec

from swather.api.saved_files import SHOWN
from swather.model.results import StoredFile
from swather.store import Store

SHOWN_AT_ONCE: Final = 120
# A job adds an item to those of its files; a file that was there already has only an item.
_ITEMS: Final = 400


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A file with what its source said of it. `position` names it in its run."""

    position: str
    name: str
    size_bytes: int
    is_shown: bool
    source: str = ""
    title: str = ""
    author: str = ""
    licence: str = ""
    page_url: str = ""
    width: int | None = None
    height: int | None = None


class Gallery(msgspec.Struct, frozen=True, kw_only=True):
    """The newest first. `cuts`: what limits have left out, by source, and what raises them."""

    pictures: list[Picture]
    cuts: dict[str, str]


def gallery_of(store: Store, run: str) -> Gallery:
    """Costs the same for ten files and ten million."""
    said: dict[str, dict[str, Any]] = {}
    cuts: dict[str, str] = {}
    for item in store.results.newest(run, limit=_ITEMS):
        data = item.data
        if isinstance(data, dict) and data.get("type") == "file":
            said.setdefault(str(data.get("sha256")), data)
        elif isinstance(data, dict) and isinstance(data.get("cut"), dict):
            cuts = {str(name): str(cut) for name, cut in data["cut"].items()} | cuts
    files = store.results.newest_files(run, limit=SHOWN_AT_ONCE)
    pictures = [_picture(file, said.get(file.sha256, {})) for file in files]
    return Gallery(pictures=pictures, cuts=cuts)


def _picture(file: StoredFile, said: dict[str, Any]) -> Picture:
    page_url = str(said.get("page_url") or "")
    return Picture(
        position=file.position,
        name=file.name,
        size_bytes=file.size_bytes,
        is_shown=file.media_type in SHOWN,
        source=str(said.get("source") or ""),
        title=str(said.get("title") or ""),
        author=str(said.get("author") or ""),
        licence=str(said.get("licence") or ""),
        # A link that a site chose must not be one that runs code.
        page_url=page_url if page_url.startswith(("http://", "https://")) else "",
        width=_pixels(said.get("width")),
        height=_pixels(said.get("height")),
    )


def _pixels(value: Any) -> int | None:
    return value if type(value) is int and 0 < value < 100_000 else None
