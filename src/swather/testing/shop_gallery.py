"""The shop's gallery: photographs to search for, as a source of pictures has them."""

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qs

from swather.testing.site import Answer, Asked, Route

PHOTOS: Final = 12
WIDTH: Final = 320
HEIGHT: Final = 200
_PER_PAGE: Final = 5


def gallery() -> Iterator[tuple[str, Route]]:
    yield "/gallery/search", _found
    for number in range(1, PHOTOS + 1):
        photo = Answer(_drawn(number), headers={"Content-Type": "image/png"})
        yield f"/gallery/photos/{number}.png", photo


def _found(asked: Asked) -> Answer:
    """Every photo, whatever is looked for, on three pages."""
    query = parse_qs(asked.query)
    page = int(query.get("page", ["1"])[0])
    photos = [
        {
            "id": number,
            "title": f"{query.get('q', ['untitled'])[0]} no. {number}",
            "photographer": "Ada",
            "file": f"/gallery/photos/{number}.png",
            "width": WIDTH,
            "height": HEIGHT,
        }
        for number in range(1, PHOTOS + 1)
    ]
    shown = photos[(page - 1) * _PER_PAGE : page * _PER_PAGE]
    body = {"photos": shown, "pages": -(-PHOTOS // _PER_PAGE)}
    return Answer(json.dumps(body), headers={"Content-Type": "application/json"})


def _drawn(number: int) -> bytes:
    """A PNG file with stripes of its own colour."""
    light = bytes((number * 61 % 256, number * 97 % 256, number * 151 % 256)) * WIDTH
    rows = b"".join(b"\0" + (light if row // 20 % 2 else bytes(3 * WIDTH)) for row in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + check
