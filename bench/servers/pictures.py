"""The web server of pictures: JPEGs of 50 KB under /, each of them different."""

import io
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from bench.servers.nginx import served

PICTURE_BYTES = 50_000
WIDTH, HEIGHT = 640, 480


@contextmanager
def picture_site(count: int) -> Iterator[str]:
    """Lend the address of a site with the pictures 0.jpg, 1.jpg …"""
    with served(http="types { image/jpeg jpg; }") as (url, folder):
        _write_pictures(folder, count)
        yield url


def _write_pictures(folder: Path, count: int) -> None:
    """One picture with a comment of its own in each file: alike to decode, and all different."""
    picture = _picture()
    for number in range(count):
        note = b"picture %d" % number
        comment = b"\xff\xfe" + (len(note) + 2).to_bytes(2) + note
        (folder / f"{number}.jpg").write_bytes(picture[:2] + comment + picture[2:])


def _picture() -> bytes:
    """Soft spots of colour, in the first quality that needs so many bytes."""
    spots = random.Random(7).randbytes(WIDTH // 6 * (HEIGHT // 6) * 3)
    image = Image.frombytes("RGB", (WIDTH // 6, HEIGHT // 6), spots)
    image = image.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    for quality in range(30, 96):
        made = io.BytesIO()
        image.save(made, "JPEG", quality=quality)
        if made.tell() >= PICTURE_BYTES:
            break
    return made.getvalue()
