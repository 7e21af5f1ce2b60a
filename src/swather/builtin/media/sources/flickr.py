"""Flickr: photographs of its members, under the licence that each has chosen."""

from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from swather.builtin.media.sources.answer import (
    Text,
    changed,
    invalid_key,
    page_numbers,
    read,
    usable,
)
from swather.builtin.media.sources.source import (
    ALL_LICENCES,
    Found,
    Params,
    Source,
    SourceFailed,
    SourceWeb,
    Wanted,
)

_PAGE_SIZE: Final = 250
# The largest first; an original is there if its owner wants it to be.
_SIZES: Final = ("o", "l", "z")
_EXTRAS: Final = ",".join(["license", "owner_name", *(f"url_{size}" for size in _SIZES)])
_LICENCES: Final = {
    0: "All Rights Reserved", 1: "CC BY-NC-SA 2.0", 2: "CC BY-NC 2.0", 3: "CC BY-NC-ND 2.0",
    4: "CC BY 2.0", 5: "CC BY-SA 2.0", 6: "CC BY-ND 2.0", 7: "No known copyright restrictions",
    8: "United States Government Work", 9: "CC0 1.0", 10: "Public Domain Mark 1.0",
    11: "CC BY 4.0", 12: "CC BY-SA 4.0", 13: "CC BY-ND 4.0", 14: "CC BY-NC 4.0",
    15: "CC BY-NC-SA 4.0", 16: "CC BY-NC-ND 4.0",
}  # fmt: skip
_ALLOWED: Final = {
    "reuse": ",".join(str(number) for number in range(1, 17)),
    "commercial": "4,5,6,7,8,9,10,11,12,13",
    "public_domain": "8,9,10",
}
_KEY_REFUSED: Final = 100


class Answer(msgspec.Struct):
    stat: str
    code: int = 0
    message: str = ""
    photos: "Photos | None" = None


class Photos(msgspec.Struct):
    photo: list[Any]
    pages: int = 1


class Photo(msgspec.Struct):
    id: str
    owner: str
    title: Text = None
    ownername: Text = None
    license: int = 0
    url_o: Text = None
    width_o: int | None = None
    height_o: int | None = None
    url_l: Text = None
    width_l: int | None = None
    height_l: int | None = None
    url_z: Text = None
    width_z: int | None = None
    height_z: int | None = None


class Flickr(Source):
    name = "flickr"
    base_url = "https://api.flickr.com"
    key_name = "FLICKR_API_KEY"
    licences = ALL_LICENCES

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        size = min(wanted.limit, _PAGE_SIZE)
        params: Params = {
            "method": "flickr.photos.search", "api_key": self.key, "text": wanted.query,
            "extras": _EXTRAS, "media": "photos", "sort": "relevance", "safe_search": 1,
            "per_page": size, "format": "json", "nojsoncallback": 1,
        }  # fmt: skip
        if wanted.licence in _ALLOWED:
            params["license"] = _ALLOWED[wanted.licence]
        for number in page_numbers(wanted, size):
            address = f"{self.base_url}/services/rest/"
            page = await web.get(address, params={**params, "page": number})
            photos = self._photos(read(self, page, Answer))
            for photo in usable(self, web, photos.photo, Photo):
                if found := self._found(photo):
                    yield found
                else:
                    web.skip(f"photo {photo.id} has no file that may be downloaded")
            if not photos.photo or number >= photos.pages:
                return

    def _photos(self, answer: Answer) -> Photos:
        if answer.code == _KEY_REFUSED:
            raise invalid_key(self, answer.message)
        if answer.stat != "ok":
            raise SourceFailed(f"flickr refused: {answer.message}", "blocked")
        if answer.photos is None:
            raise changed(self, "its answer has no photos")
        return answer.photos

    def _found(self, photo: Photo) -> Found | None:
        for size in _SIZES:
            if (url := getattr(photo, f"url_{size}")) and url.startswith("http"):
                return Found(
                    url=url, kind="image", source=self.name, id=photo.id,
                    page_url=f"https://www.flickr.com/photos/{photo.owner}/{photo.id}",
                    title=photo.title or "", author=photo.ownername or photo.owner,
                    licence=_LICENCES.get(photo.license, ""),
                    width=getattr(photo, f"width_{size}"), height=getattr(photo, f"height_{size}"),
                )  # fmt: skip
        return None
