"""Stand-ins of the ten sources, on loopback.

Their answers are not recorded. They are written from a table of endpoints and fields that was made
from the documentation, and beyond that (error pages, filters, what is null) from what their author
knew of the sources; none was compared with the live site. An adapter that passes here may still
fail there.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from html import escape
from io import BytesIO
from urllib.parse import parse_qs, urlencode

from PIL import Image

from swather.testing import Answer, Asked, FakeSite

KEY = "right-key"
WIDTH, HEIGHT = 64, 48
Query = dict[str, str]
Misbehaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


@lru_cache
def picture(seed: str, kind: str = "JPEG") -> bytes:
    """A picture like no other: its seed is its colours."""
    number = int.from_bytes(seed.encode()[-6:].rjust(6, b"\0"))
    image = Image.new("RGB", (WIDTH, HEIGHT), tuple(number >> shift & 255 for shift in (0, 8, 16)))
    for place, letter in enumerate(seed.encode()):
        image.putpixel((place % WIDTH, 0), (letter, letter, 255 - letter))
    file = BytesIO()
    image.save(file, kind, comment=seed.encode()) if kind == "JPEG" else image.save(file, kind)
    return file.getvalue()


def video(seed: str) -> bytes:
    """The boxes of an MP4 file, with no frame in them."""

    def box(name: bytes, content: bytes) -> bytes:
        return (len(content) + 8).to_bytes(4) + name + content

    header = box(b"mvhd", bytes(100))
    return (
        box(b"ftyp", b"isom\0\0\2\0isommp41")
        + box(b"moov", header)
        + box(b"mdat", seed.encode() * 50)
    )


class StandIn(FakeSite):
    """One source with `pictures` and `videos`, whose files it serves itself.

    `queries` are the searches it was asked for, `announced` the downloads it was told of. A path in
    `misbehaving` is answered as badly as its value says.
    """

    def __init__(self, source: str, *, pictures: int = 3, videos: int = 0) -> None:
        super().__init__({})
        self.source = source
        self.pictures = [f"{source}-{number}.jpg" for number in range(pictures)]
        self.videos = [f"{source}-{number}.mp4" for number in range(videos)]
        self.queries: list[Query] = []
        self.announced: list[str] = []
        self.misbehaving: dict[str, Misbehaviour] = {}
        for name in self.pictures:
            self.routes[f"/files/{name}"] = Answer(
                picture(name), headers={"Content-Type": "image/jpeg"}
            )
        for name in self.videos:
            self.routes[f"/files/{name}"] = Answer(
                video(name), headers={"Content-Type": "video/mp4"}
            )
        LAYOUTS[source](self)

    async def _respond(self, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        misbehave = self.misbehaving.get(asked.path)
        if misbehave is None:
            return await super()._respond(asked, writer)
        await misbehave(writer)
        return False

    def file(self, name: str) -> str:
        return f"{self.url}/files/{name}"

    def search(self, path: str, answer: Callable[[Query], object]) -> None:
        """Serve a search; what is not text becomes JSON."""

        def route(asked: Asked) -> Answer:
            query = {name: values[0] for name, values in parse_qs(asked.query).items()}
            self.queries.append({**query, **{f"header:{k}": v for k, v in asked.headers.items()}})
            said = answer(self.queries[-1])
            if isinstance(said, Answer | str):
                return said if isinstance(said, Answer) else Answer(said)
            return Answer(json.dumps(said), headers={"Content-Type": "application/json"})

        self.routes[path] = route


async def hang(_: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def drip(writer: asyncio.StreamWriter) -> None:
    """A body that comes, though never to its end."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"\xff")
        await writer.drain()
        await asyncio.sleep(0.05)


async def never_end(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
        await writer.drain()
        await asyncio.sleep(0.005)


async def truncate(writer: asyncio.StreamWriter) -> None:
    whole = picture("truncated.jpg")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {len(whole)}\r\n\r\n"
    writer.write(head.encode() + whole[: len(whole) // 2])
    await writer.drain()


def paged(names: list[str], page: int, size: int) -> list[str]:
    return names[(page - 1) * size : page * size]


def pages_of(names: list[str], size: int) -> int:
    return -(-len(names) // size)


def openverse(site: StandIn) -> None:
    def answer(query: Query) -> object:
        page, size = int(query["page"]), int(query["page_size"])
        return {
            "result_count": len(site.pictures),
            "page_count": pages_of(site.pictures, size),
            "page_size": size,
            "page": page,
            "results": [
                {
                    "id": f"id-{name}",
                    "title": name,
                    "foreign_landing_url": f"https://museum.example/{name}",
                    "url": site.file(name),
                    "creator": None,
                    "license": "by-sa",
                    "license_version": "4.0",
                    "license_url": "https://creativecommons.org/licenses/by-sa/4.0/",
                    "filesize": None,
                    "filetype": "jpg",
                    "width": WIDTH,
                    "height": HEIGHT,
                    "thumbnail": f"{site.url}/thumb/{name}",
                }
                for name in paged(site.pictures, page, size)
            ],
        }

    site.search("/v1/images/", answer)


def wikimedia_commons(site: StandIn) -> None:
    names = site.pictures + site.videos

    def answer(query: Query) -> object:
        if not query["header:user-agent"].startswith("swather/") or "(" not in str(query):
            return Answer("Please set a user-agent and respect our robot policy.", 403)
        offset, size = int(query.get("gsroffset", 0)), int(query["gsrlimit"])
        pages = {
            # Numbers that tell nothing of the order, which is in `index`.
            str(1000 - number): {
                "pageid": 1000 - number,
                "ns": 6,
                "title": f"File:{name}",
                "index": number + 1,
                "imageinfo": [
                    {
                        "url": site.file(name),
                        "descriptionurl": f"https://commons.example/wiki/File:{name}",
                        "mime": "video/mp4" if name.endswith("mp4") else "image/jpeg",
                        "width": WIDTH,
                        "height": HEIGHT,
                        "size": 1234,
                        "extmetadata": {
                            "Artist": {"value": '<a href="//x">Ann &amp; Bo</a>'},
                            "LicenseShortName": {"value": "CC BY-SA 4.0"},
                            "LicenseUrl": {"value": "https://creativecommons.org/by-sa/4.0"},
                        },
                    }
                ],
            }
            for number, name in list(enumerate(names))[offset : offset + size]
        }
        said: dict[str, object] = {"batchcomplete": ""}
        if pages:
            said["query"] = {"pages": dict(reversed(pages.items()))}
        if offset + size < len(names):
            said["continue"] = {"gsroffset": offset + size, "continue": "gsroffset||"}
        return said

    site.search("/w/api.php", answer)


def internet_archive(site: StandIn) -> None:
    names = site.pictures + site.videos

    def search(query: Query) -> object:
        found = paged(names, int(query["page"]), int(query["rows"]))
        docs = [{"identifier": f"item-{name}"} for name in found]
        return {"responseHeader": {"status": 0}, "response": {"numFound": len(names), "docs": docs}}

    site.search("/advancedsearch.php", search)
    for name in names:
        item = f"item-{name}"
        is_film = name in site.videos
        wanted, other = ("derivative", "original") if is_film else ("original", "derivative")
        files = [
            {"name": f"{item}_meta.xml", "source": "original", "format": "Metadata", "size": "900"},
            {"name": "__ia_thumb.jpg", "source": "original", "format": "Tile", "size": "99999"},
            {"name": f"small/{name}", "source": other, "format": "Thumb", "size": "99999"},
            {"name": f"a b/{name}", "source": wanted, "format": "JPEG", "size": "1234"},
            {"name": f"{item}_archive.torrent", "source": "metadata", "format": "Torrent"},
        ]
        about = {
            "title": name,
            "mediatype": "movies" if is_film else "image",
            "creator": ["Ann", "Bo"],
            "licenseurl": "http://cc.example/by",
        }
        site.search(f"/metadata/{item}", lambda _, f=files, a=about: {"files": f, "metadata": a})
        site.routes[f"/download/{item}/a%20b/{name}"] = site.routes[f"/files/{name}"]


def unsplash(site: StandIn) -> None:
    def answer(query: Query) -> object:
        if query["header:authorization"] != f"Client-ID {KEY}":
            return Answer('{"errors": ["OAuth error: The access token is invalid"]}', 401)
        page, size = int(query["page"]), int(query["per_page"])
        return {
            "total": len(site.pictures),
            "total_pages": pages_of(site.pictures, size),
            "results": [
                {
                    "id": name,
                    "width": WIDTH,
                    "height": HEIGHT,
                    "description": None,
                    "alt_description": f"a picture {name}",
                    "urls": {"raw": site.file(name), "full": site.file(name)},
                    "links": {
                        "html": f"https://unsplash.example/{name}",
                        "download_location": f"{site.url}/photos/{name}/download?ixid=1",
                    },
                    "user": {"name": "Ann"},
                }
                for name in paged(site.pictures, page, size)
            ],
        }

    def announce(asked: Asked) -> str:
        if asked.headers.get("authorization") == f"Client-ID {KEY}":
            site.announced.append(asked.path.split("/")[2])
        return '{"url": "https://images.example"}'

    site.search("/search/photos", answer)
    for name in site.pictures:
        site.routes[f"/photos/{name}/download"] = announce


def pexels(site: StandIn) -> None:
    def answer(query: Query, names: list[str], field: str) -> object:
        if query.get("header:authorization") != KEY:
            return Answer('{"error": "Unauthorized"}', 401)
        page, size = int(query["page"]), int(query["per_page"])
        said: dict[str, object] = {"page": page, "per_page": size, "total_results": len(names)}
        if page * size < len(names):
            said["next_page"] = f"{site.url}/more"
        entry = pexels_photo if field == "photos" else pexels_video
        said[field] = [entry(site, names.index(name), name) for name in paged(names, page, size)]
        return said

    site.search("/v1/search", lambda query: answer(query, site.pictures, "photos"))
    site.search("/videos/search", lambda query: answer(query, site.videos, "videos"))


def pexels_photo(site: StandIn, number: int, name: str) -> object:
    return {
        "id": number,
        "width": WIDTH,
        "height": HEIGHT,
        "url": f"https://pexels.example/photo/{number}",
        "photographer": "Ann",
        "src": {"original": site.file(name), "tiny": f"{site.url}/tiny"},
        "alt": name,
    }


def pexels_video(site: StandIn, number: int, name: str) -> object:
    versions = [(3840, "uhd"), (1920, "hd"), (640, "sd")]
    return {
        "id": number,
        "width": 3840,
        "height": 2160,
        "url": f"https://pexels.example/video/{number}",
        "user": {"id": 1, "name": "Bo"},
        "video_files": [
            {
                "id": width,
                "quality": quality,
                "file_type": "video/mp4",
                "width": width,
                "height": width * 9 // 16,
                "link": site.file(name) if width == 1920 else f"{site.url}/other/{width}",
            }
            for width, quality in versions
        ],
    }


def pixabay(site: StandIn) -> None:
    def answer(query: Query, names: list[str], entry: Callable[[int, str], object]) -> object:
        if query["key"] != KEY:
            return Answer("[ERROR 400] Invalid or missing API key (https://pixabay.com/api/).", 400)
        page, size = int(query["page"]), int(query["per_page"])
        if not 3 <= size <= 200 or page > max(1, pages_of(names, size)):
            return Answer('[ERROR 400] "page" is out of valid range.', 400)
        hits = [entry(names.index(name), name) for name in paged(names, page, size)]
        return {"total": len(names), "totalHits": len(names), "hits": hits}

    def image(number: int, name: str) -> object:
        return {
            "id": number,
            "pageURL": f"https://pixabay.example/{number}",
            "tags": "cat, pet",
            "user": "Ann",
            "largeImageURL": site.file(name),
            "imageWidth": 4000,
            "imageHeight": 3000,
            "imageSize": 4731420,
        }

    def film(number: int, name: str) -> object:
        empty = {"url": "", "width": 0, "height": 0, "size": 0}
        medium = {"url": site.file(name), "width": 1280, "height": 720, "size": 6615235}
        return {
            "id": number,
            "pageURL": f"https://pixabay.example/videos/{number}",
            "tags": "cat",
            "user": "Bo",
            "videos": {"large": empty, "medium": medium, "small": {**medium, "width": 960}},
        }

    site.search("/api/", lambda query: answer(query, site.pictures, image))
    site.search("/api/videos/", lambda query: answer(query, site.videos, film))


def flickr(site: StandIn) -> None:
    def answer(query: Query) -> object:
        if query["api_key"] != KEY:
            message = "Invalid API Key (Key has invalid format)"
            return {"stat": "fail", "code": 100, "message": message}
        page, size = int(query["page"]), int(query["per_page"])
        photos = [
            {
                "id": str(number),
                "owner": "1@N01",
                "ownername": "Ann",
                "title": name,
                "license": "4",
                # Only some owners let others have the original.
                **({"url_o": site.file(name), "width_o": str(WIDTH)} if number % 2 else {}),
                "url_z": f"{site.url}/small/{name}" if number % 2 else site.file(name),
                "width_z": WIDTH,
                "height_z": HEIGHT,
            }
            for number, name in enumerate(site.pictures)
        ]
        found = photos[(page - 1) * size : page * size]
        pages = pages_of(site.pictures, size)
        return {
            "photos": {"page": page, "pages": pages, "perpage": size, "photo": found},
            "stat": "ok",
        }

    site.search("/services/rest/", answer)


def bing_images(site: StandIn) -> None:
    def answer(query: Query) -> str:
        first = int(query["first"]) - 1
        # After the last page, it is there again.
        names = site.pictures[first : first + 35] or site.pictures[-35:]
        if not names:
            return "<div class='x'>There are no results for <b>q</b></div>"
        links = [
            {"murl": site.file(name), "purl": f"https://blog.example/{name}", "t": name}
            for name in names
        ]
        items = [f'<li><a class="iusc" m="{escape(json.dumps(link))}"></a></li>' for link in links]
        return f'<div class="dgControl"><ul>{"".join(items)}</ul></div>'

    site.search("/images/async", answer)


def google_images(site: StandIn) -> None:
    def answer(query: Query) -> str:
        start = int(query["start"])
        links = [
            urlencode(
                {"imgurl": site.file(name), "imgrefurl": "https://b.example", "w": WIDTH, "h": 48}
            )
            for name in site.pictures[start : start + 20]
        ]
        if not links:
            return "<p>Your search - q - did not match any image results.</p>"
        return "".join(f'<a href="/imgres?{escape(link)}">x</a>' for link in links)

    site.search("/search", answer)


def yandex_images(site: StandIn) -> None:
    def answer(query: Query) -> str:
        number = int(query["p"])
        entities = {
            f"i{name}": {
                "id": f"i{name}",
                "viewerData": {
                    "dups": [{"url": site.file(name), "w": WIDTH, "h": HEIGHT}],
                    "snippet": {"title": name, "url": f"https://blog.example/{name}"},
                },
            }
            for name in site.pictures[number * 30 : number * 30 + 30]
        }
        state = {"initialState": {"serpList": {"items": {"entities": entities}}}}
        other = "<div data-state='{\"reqid\": 1}'></div>"
        return f'{other}<div class="Root" data-state="{escape(json.dumps(state))}"></div>'

    site.search("/images/search", answer)


LAYOUTS: dict[str, Callable[[StandIn], None]] = {
    layout.__name__: layout
    for layout in (
        openverse, wikimedia_commons, internet_archive, bing_images, unsplash, pexels, pixabay,
        flickr, google_images, yandex_images,
    )
}  # fmt: skip


@contextmanager
def all_ten(**sizes: int) -> Iterator[dict[str, StandIn]]:
    """Every source, by name."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(StandIn(name, **sizes)) for name in LAYOUTS}
