"""What kind of file some content is, by its first bytes: a site may claim anything."""

import re
from typing import Final

# How much of a file is looked at.
HEAD_BYTES: Final = 1024

_STARTS: Final = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"\0\0\1\0", "image/x-icon"),
    (b"\0\0\0\x0cJXL \r\n\x87\n", "image/jxl"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (b"OggS", "application/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"FLV\1", "video/x-flv"),
    (b"\0\0\1\xba", "video/mpeg"),
    (b"\0\0\1\xb3", "video/mpeg"),
    (b"%PDF-", "application/pdf"),
    (b"PK\3\4", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\xfd7zXZ\0", "application/x-xz"),
)
_RIFF: Final = {b"WEBP": "image/webp", b"AVI ": "video/x-msvideo", b"WAVE": "audio/wav"}
_BRANDS: Final = {
    b"avif": "image/avif", b"avis": "image/avif",
    b"heic": "image/heic", b"heix": "image/heic", b"heim": "image/heic", b"heis": "image/heic",
    b"mif1": "image/heif", b"msf1": "image/heif",
    b"qt  ": "video/quicktime", b"M4A ": "audio/mp4", b"M4B ": "audio/mp4",
}  # fmt: skip
_BITMAP_HEADERS: Final = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
_EBML: Final = b"\x1a\x45\xdf\xa3"
# Atomic groups: a site could write a text that takes an ordinary one forever.
_SVG: Final = re.compile(
    rb"(?>(?><\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>]*>|\s)*)<svg[\s>]", re.DOTALL
)
_HTML: Final = re.compile(
    rb"(?>(?><!--.*?-->|\s)*)<(?:!doctype html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL
)
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def media_type_of(head: bytes) -> str:
    """The media type of a file that begins like this; '' if it is none of those we know."""
    return next(filter(None, (look(head) for look in _LOOKS)), "")


def _by_start(head: bytes) -> str:
    return next((known for start, known in _STARTS if head.startswith(start)), "")


def _of_riff(head: bytes) -> str:
    return _RIFF.get(head[8:12], "") if head[:4] == b"RIFF" else ""


def _of_bitmap(head: bytes) -> str:
    """Two letters are little: the size of the second header must be one of those there are."""
    is_known = int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS
    return "image/bmp" if head[:2] == b"BM" and is_known else ""


def _of_brands(head: bytes) -> str:
    """By the major brand, else by the first compatible one that is known."""
    if head[4:8] != b"ftyp":
        return ""
    length = min(int.from_bytes(head[:4]), 64)
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, length, 4))]
    return next((_BRANDS[brand] for brand in brands if brand in _BRANDS), "video/mp4")


def _of_matroska(head: bytes) -> str:
    if not head.startswith(_EBML):
        return ""
    return "video/webm" if b"webm" in head[:64] else "video/x-matroska"


def _of_mpeg(head: bytes) -> str:
    """Packets of a transport stream, or a frame of audio: layer III, with rates that exist."""
    if head[:1] == head[188:189] == head[376:377] == b"G":
        return "video/mp2t"
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2 or head[1] & 0x18 == 0x08:
        return ""
    return "audio/mpeg" if head[2] >> 4 not in (0, 15) and head[2] & 0x0C != 0x0C else ""


def _of_text(head: bytes) -> str:
    text = head.removeprefix(_BYTE_ORDER_MARK)
    if _SVG.match(text):
        return "image/svg+xml"
    return "text/html" if _HTML.match(text) else ""


_LOOKS: Final = (
    _by_start, _of_riff, _of_brands, _of_matroska, _of_bitmap, _of_mpeg, _of_text,
)  # fmt: skip
