"""Internet Archive: a search lists items, and the metadata of each its files."""

import re
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import quote

import msgspec

from swather.builtin.media.sources.answer import page_numbers, read, usable
from swather.builtin.media.sources.source import (
    ALL_LICENCES,
    IMAGE_AND_VIDEO,
    Found,
    Kind,
    Params,
    Source,
    SourceFailed,
    SourceWeb,
    Wanted,
)

_PAGE_SIZE: Final = 50
_MEDIATYPES: Final[dict[Kind, str]] = {"image": "image", "video": "movies"}
_ENDINGS: Final = {
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif",
    "webp": "image/webp", "tif": "image/tiff", "tiff": "image/tiff", "mp4": "video/mp4",
    "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
}  # fmt: skip
_LICENCES: Final = {
    "reuse": " AND licenseurl:*",
    "commercial": " AND licenseurl:*creativecommons* AND NOT licenseurl:*-nc*",
    "public_domain": " AND licenseurl:*publicdomain*",
}
# Items that were withdrawn.
_HIDDEN: Final = frozenset({403, 404})
_THUMBNAIL: Final = "__ia_thumb"
_OPERATOR: Final = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|])')


class Answer(msgspec.Struct):
    response: "Response"


class Response(msgspec.Struct):
    docs: list[Any]


class Item(msgspec.Struct):
    identifier: str


class Details(msgspec.Struct):
    files: list[Any] = []
    metadata: dict[str, Any] = {}

    def text(self, name: str) -> str:
        """A field, which may be a text or a list of them."""
        value = self.metadata.get(name)
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


class File(msgspec.Struct):
    name: str
    source: str = ""
    size: int | None = None
    width: int | None = None
    height: int | None = None

    @property
    def media_type(self) -> str:
        return _ENDINGS.get(self.name.rpartition(".")[2].lower(), "")

    @property
    def kind(self) -> Kind:
        return "image" if self.media_type.startswith("image/") else "video"

    def rank(self) -> tuple[bool, int]:
        """Best first: the original of a picture, but of a video what was made of it for the web,
        as its original may have gigabytes; then the largest.
        """
        is_original = self.source == "original"
        return (is_original != (self.kind == "image"), -(self.size or 0))


class InternetArchive(Source):
    name = "internet_archive"
    base_url = "https://archive.org"
    kinds = IMAGE_AND_VIDEO
    licences = ALL_LICENCES

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        rows = min(wanted.limit, _PAGE_SIZE)
        params: Params = {
            "q": _search(wanted),
            "fl[]": "identifier",
            "rows": rows,
            "output": "json",
        }
        for number in page_numbers(wanted, rows):
            address = f"{self.base_url}/advancedsearch.php"
            page = await web.get(address, params={**params, "page": number})
            docs = read(self, page, Answer).response.docs
            for item in usable(self, web, docs, Item):
                if (found := await self._file_of(web, item.identifier, wanted)) is not None:
                    yield found
            if len(docs) < rows:
                return

    async def _file_of(self, web: SourceWeb, item: str, wanted: Wanted) -> Found | None:
        """The best file of an item, if it has one of the kind that the item is."""
        address = f"{self.base_url}/metadata/{quote(item, safe='')}"
        page = await web.get(address, accept=_HIDDEN)
        try:
            details = read(self, page, Details) if page.is_ok else Details()
            files = usable(self, web, details.files, File)
        except SourceFailed as error:
            # Of one item among many; a search that has changed is told before.
            web.skip(str(error))
            return None
        mediatype = details.text("mediatype")
        found = [
            self._found(item, details, file)
            for file in sorted(files, key=File.rank)
            if file.media_type
            and _MEDIATYPES[file.kind] == mediatype
            and not file.name.startswith(_THUMBNAIL)
        ]
        fitting = next(filter(wanted.fits, found), None)
        if fitting is None:
            web.skip(f"{item} has no file that is wanted")
        return fitting

    def _found(self, item: str, details: Details, file: File) -> Found:
        return Found(
            url=f"{self.base_url}/download/{quote(item, safe='')}/{quote(file.name)}",
            kind=file.kind, source=self.name, id=f"{item}/{file.name}",
            page_url=f"{self.base_url}/details/{item}",
            title=details.text("title"), author=details.text("creator"),
            licence_url=details.text("licenseurl"), width=file.width, height=file.height,
            media_type=file.media_type, size_bytes=file.size,
        )  # fmt: skip


def _search(wanted: Wanted) -> str:
    words = _OPERATOR.sub(r"\\\1", wanted.query)
    mediatypes = " OR ".join(_MEDIATYPES[kind] for kind in sorted(wanted.kinds))
    return f"({words}) AND mediatype:({mediatypes}){_LICENCES.get(wanted.licence, '')}"
