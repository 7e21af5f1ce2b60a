"""Types of files by their first bytes, and whether that is what was announced."""

from typing import Final, NamedTuple

from swather.builtin.media.sources.source import Kind

HEAD_BYTES: Final = 64


class FileType(NamedTuple):
    """`name` as `Wanted.types` has it; `extension` is that of its files."""

    kind: Kind
    media_type: str
    name: str
    extension: str


def _image(name: str, extension: str = "") -> FileType:
    return FileType("image", f"image/{name}", name, f".{extension or name}")


def _video(name: str, extension: str = "") -> FileType:
    return FileType("video", f"video/{name}", name, f".{extension or name}")


JPEG: Final = _image("jpeg", "jpg")
PNG: Final = _image("png")
GIF: Final = _image("gif")
WEBP: Final = _image("webp")
BMP: Final = _image("bmp")
TIFF: Final = _image("tiff", "tif")
AVIF: Final = _image("avif")
MP4: Final = _video("mp4")
MOV: Final = _video("quicktime", "mov")
WEBM: Final = _video("webm")
MKV: Final = _video("x-matroska", "mkv")
OGG: Final = _video("ogg", "ogv")

_BEGINNINGS: Final = (
    (b"\xff\xd8\xff", JPEG),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"OggS", OGG),
)
_EBML: Final = b"\x1aE\xdf\xa3"
_AVIF_BRANDS: Final = (b"avif", b"avis")
# What a site says when it does not know, and other names of the same type.
_SAYS_NOTHING: Final = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/x-binary",
     "application/force-download", "application/download", "image/*", "video/*"}
)  # fmt: skip
_SAME: Final = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-ms-bmp": "image/bmp",
    "image/x-bmp": "image/bmp",
    "image/tif": "image/tiff",
    "application/mp4": "video/mp4",
    "video/x-m4v": "video/mp4",
    "application/ogg": "video/ogg",
    "audio/ogg": "video/ogg",
    "video/x-matroska": "video/webm",
}


def file_type(head: bytes) -> FileType | None:
    """What a file is by its first bytes; None if it is no picture or video that we know."""
    for beginning, found in _BEGINNINGS:
        if head.startswith(beginning):
            return found
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return WEBP
    if head.startswith(b"BM") and head[6:10] == b"\0\0\0\0":
        return BMP
    if head.startswith(_EBML):
        return WEBM if b"webm" in head else MKV
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        return AVIF if brand in _AVIF_BRANDS else MOV if brand == b"qt  " else MP4
    return None


def is_as_announced(found: FileType, announced: str) -> bool:
    """Whether a Content-Type is that of the file, or says nothing about it."""
    plain = announced.partition(";")[0].strip().lower()
    return plain in _SAYS_NOTHING or _same(plain) == _same(found.media_type)


def shown(head: bytes) -> str:
    """What something that is no picture or video seems to be."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "HTML"
    if text.startswith((b"<?xml", b"<svg")):
        return "XML"
    if text.startswith((b"{", b"[")):
        return "JSON"
    return "an unknown format" if text else "nothing"


def _same(media_type: str) -> str:
    return _SAME.get(media_type, media_type)
