"""Types of pictures and videos that are kept, and whether a file is what was announced."""

from typing import Final, NamedTuple

from swather.builtin.media.sources.source import Kind


class FileType(NamedTuple):
    """`name` as `Wanted.types` has it; `extension` is that of its files."""

    kind: Kind
    media_type: str
    name: str
    extension: str


def _type(kind: Kind, name: str, extension: str = "") -> FileType:
    return FileType(kind, f"{kind}/{name}", name, f".{extension or name}")


MP4: Final = _type("video", "mp4")
MOV: Final = _type("video", "quicktime", "mov")
WEBM: Final = _type("video", "webm")
MKV: Final = _type("video", "x-matroska", "mkv")
OGG: Final = _type("video", "ogg", "ogv")
_KEPT: Final = {
    found.media_type: found
    for found in (
        _type("image", "jpeg", "jpg"),
        _type("image", "png"),
        _type("image", "gif"),
        _type("image", "webp"),
        _type("image", "bmp"),
        _type("image", "tiff", "tif"),
        _type("image", "avif"),
        MP4,
        MOV,
        WEBM,
        MKV,
        OGG,
    )
}
# What a site says when it does not know.
_SAYS_NOTHING: Final = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/x-binary",
     "application/force-download", "application/download", "image/*", "video/*"}
)  # fmt: skip
# Other names of the same type; a WebM is a Matroska file, and an Ogg may have sound only.
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


def file_type(media_type: str) -> FileType | None:
    """The type of a file, by what its first bytes say; None if it is not kept."""
    return _KEPT.get(media_type) or _KEPT.get(_same(media_type))


def is_as_announced(found: FileType, announced: str) -> bool:
    """Whether a Content-Type is that of the file, or says nothing about it."""
    plain = announced.partition(";")[0].strip().lower()
    return plain in _SAYS_NOTHING or _same(plain) == _same(found.media_type)


def shown(media_type: str) -> str:
    """What something that is not kept seems to be."""
    return {"": "of an unknown format", "text/html": "HTML"}.get(media_type, media_type)


def _same(media_type: str) -> str:
    return _SAME.get(media_type, media_type)
