"""Wikimedia Commons: freely licensed pictures and videos; everything there may be reused."""

import re
from collections.abc import AsyncIterator
from html import unescape
from typing import Annotated, Any, Final

import msgspec

from swather.builtin.media.sources.answer import Address, changed, page_numbers, read, usable
from swather.builtin.media.sources.source import (
    ALL_LICENCES,
    IMAGE_AND_VIDEO,
    Found,
    Params,
    Source,
    SourceFailed,
    SourceWeb,
    Wanted,
)
from swather.version import __version__

# The site answers 403 to programs that do not say what they are.
_HEADERS: Final = {"User-Agent": f"swather/{__version__} (media scraper, run by a person's query)"}
_PAGE_SIZE: Final = 50
_TAG: Final = re.compile(r"<[^>]*>")


class Pages(msgspec.Struct, frozen=True):
    pages: dict[str, Any] = {}


class Continue(msgspec.Struct, frozen=True):
    gsroffset: int | None = None


class Error(msgspec.Struct, frozen=True):
    info: str = "it does not say why"


class Answer(msgspec.Struct, rename={"proceed": "continue"}):
    # Missing when nothing was found; then the batch is complete.
    query: Pages | None = None
    batchcomplete: Any = None
    proceed: Continue = Continue()
    error: Error | None = None


class Info(msgspec.Struct):
    url: Address
    mime: str = ""
    width: int | None = None
    height: int | None = None
    size: int | None = None
    descriptionurl: str = ""
    extmetadata: dict[str, Any] = {}

    def text(self, name: str) -> str:
        """A field of the description without its HTML."""
        field = self.extmetadata.get(name)
        value = field.get("value") if isinstance(field, dict) else None
        return unescape(_TAG.sub("", value)).strip() if isinstance(value, str) else ""


class File(msgspec.Struct):
    title: str
    imageinfo: Annotated[list[Info], msgspec.Meta(min_length=1)]
    pageid: int = 0
    index: int = 0


class WikimediaCommons(Source):
    name = "wikimedia_commons"
    base_url = "https://commons.wikimedia.org"
    kinds = IMAGE_AND_VIDEO
    licences = ALL_LICENCES

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        size = min(wanted.limit, _PAGE_SIZE)
        params: Params = {
            "action": "query", "format": "json", "generator": "search", "gsrnamespace": 6,
            "gsrsearch": _search(wanted), "gsrlimit": size,
            "prop": "imageinfo", "iiprop": "url|size|mime|extmetadata",
        }  # fmt: skip
        for _ in page_numbers(wanted, size):
            page = await web.get(f"{self.base_url}/w/api.php", params=params, headers=_HEADERS)
            answer = read(self, page, Answer)
            if answer.error is not None:
                raise SourceFailed(f"{self.name} refused: {answer.error.info}", "blocked")
            if answer.query is None and answer.batchcomplete is None:
                raise changed(self, "its answer has no query")
            pages = (answer.query or Pages()).pages
            files = usable(self, web, pages.values(), File)
            for file in sorted(files, key=lambda file: file.index):
                yield self._found(file, file.imageinfo[0])
            if not pages or answer.proceed.gsroffset is None:
                return
            params["gsroffset"] = answer.proceed.gsroffset

    def _found(self, file: File, info: Info) -> Found:
        return Found(
            url=info.url, kind="image" if info.mime.startswith("image/") else "video",
            source=self.name, id=str(file.pageid), page_url=info.descriptionurl,
            title=file.title.removeprefix("File:"), author=info.text("Artist"),
            licence=info.text("LicenseShortName"), licence_url=info.text("LicenseUrl"),
            width=info.width, height=info.height, media_type=info.mime, size_bytes=info.size,
            headers=_HEADERS,
        )  # fmt: skip


def _search(wanted: Wanted) -> str:
    kinds = {"image": "bitmap", "video": "video"}
    terms = ["filetype:" + "|".join(kinds[kind] for kind in sorted(wanted.kinds))]
    if len(wanted.types) == 1:
        terms += [f"filemime:{kind}" for kind in wanted.types]
    terms += [f"filew:>{wanted.min_width - 1}"] if wanted.min_width else []
    terms += [f"fileh:>{wanted.min_height - 1}"] if wanted.min_height else []
    terms += ["haslicense:unrestricted"] if wanted.licence == "public_domain" else []
    return " ".join([*terms, wanted.query])
