"""Pictures: decoded before they count."""

import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Final, NamedTuple

from swather.builtin.media.containers import BrokenFile

# Just below where Pillow begins to warn; such a picture takes 350 MB.
MAX_PIXELS: Final = 89_000_000
# Larger ones are decoded one after another, so that a few of them cannot fill the memory.
_LARGE_PIXELS: Final = 20_000_000
_FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "AVIF")
_one_large = threading.Lock()


class Size(NamedTuple):
    """In pixels."""

    width: int
    height: int


def check_picture(path: Path) -> Size:
    """Decode a picture, all of its first frame; BrokenFile if that cannot be done. It blocks."""
    from PIL import Image  # noqa: PLC0415 - of the extra `media`

    try:
        with Image.open(path, formats=_FORMATS) as image:
            size = Size(*image.size)
            pixels = size.width * size.height
            is_bearable = 0 < pixels <= MAX_PIXELS
            if is_bearable:
                # Of a JPEG all bytes are read, and every eighth pixel is worked out.
                image.draft(None, (1, 1))
                with _one_large if pixels > _LARGE_PIXELS else nullcontext():
                    image.load()
    except Exception as error:
        # Decoders raise what they like: OSError, SyntaxError, ValueError, struct.error …
        raise BrokenFile(f"it cannot be decoded: {error}") from error
    if not is_bearable:
        raise BrokenFile(f"it has {size.width:,} x {size.height:,} pixels")
    return size
