"""Safe names of files and folders, made from the names that sites give."""

import mimetypes
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from swather.model.payload import storable
from swather.model.task import MAX_NAME_BYTES

MAX_BYTES: Final = 150
MAX_FOLDERS: Final = 10
_ORDINARY_NUMBERS: Final = 9
_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)", re.IGNORECASE)
_EXTENSION: Final = re.compile(r"\w{1,20}")
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Extensions that a double click opens rather than runs; all others get '.bin' appended.
EXTENSIONS: Final = frozenset(
    {
        "7z", "aac", "ass", "avi", "avif", "bin", "bmp", "br", "bz2", "csv", "doc", "docx", "epub",
        "flac", "geojson", "gif", "gpx", "gz", "htm", "html", "ico", "ics", "jpeg", "jpg", "json",
        "json3", "jsonl", "kml", "log", "lrc", "m3u8", "m4a", "m4v", "md", "mkv", "mobi", "mov",
        "mp3", "mp4", "mpd", "mpeg", "mpg", "ndjson", "odp", "ods", "odt", "oga", "ogg", "ogv",
        "opus", "parquet", "pdf", "png", "ppt", "pptx", "rar", "rdf", "rss", "rtf", "sbv", "srt",
        "srv1", "srv2", "srv3", "ssa", "sub", "svg", "tar", "tif", "tiff", "tsv", "ttml", "txt",
        "vcf", "vtt", "warc", "wav", "webm", "webp", "wmv", "xls", "xlsx", "xml", "xz", "yaml",
        "yml", "zip", "zst",
    }
)  # fmt: skip


def safe_path(name: str | None, sha256: str, media_type: str = "") -> tuple[tuple[str, ...], str]:
    """The folders that a name has ('cats/openverse/a.jpg'), and its last part, each made safe by
    itself. A part that nothing is left of ('..') is left out.
    """
    *given, last = (name or "").split("/")
    folders = (_safe_folder(part) for part in given)
    return tuple(part for part in folders if part)[-MAX_FOLDERS:], safe_name(
        last, sha256, media_type
    )


def safe_name(name: str | None, sha256: str, media_type: str = "") -> str:
    """A safe name that a person recognises: no folders, nothing invisible, no reserved name, a
    known extension, at most 150 bytes. Without a usable name, the start of the hash.
    """
    text = _visible(re.split(r"[/\\]", name or "")[-1])
    if not text:
        return sha256[:16] + _extension_of(media_type)
    stem, extension = _split(text)
    stem = _unreserved(stem)
    return _shortened(stem, MAX_BYTES - len(extension)).rstrip(" .") + extension


def numbered(name: str, sha256: str) -> Iterator[str]:
    """The name, then 'a-1.pdf' to 'a-9.pdf', then with its hash, which nothing else can have."""
    yield name
    stem, extension = _split(name)
    for number in range(1, _ORDINARY_NUMBERS + 1):
        yield f"{stem}-{number}{extension}"
    yield with_hash(name, sha256)
    yield f"{sha256}{extension}"


def with_hash(name: str, sha256: str) -> str:
    """'a-0123456789ab.pdf'."""
    stem, extension = _split(name)
    return f"{stem}-{sha256[:12]}{extension}"


def numbered_folders(name: str) -> Iterator[str]:
    """The name of a folder, then 'cats-1' to 'cats-9'."""
    yield name
    for number in range(1, _ORDINARY_NUMBERS + 1):
        yield f"{name}-{number}"


def label_of(name: str | None) -> str:
    """The given name, without what some database cannot hold."""
    return _shortened(storable(name or ""), MAX_NAME_BYTES)


def _safe_folder(part: str) -> str:
    text = _visible(part.replace("\\", "_"))
    return _shortened(_unreserved(text), MAX_BYTES).rstrip(" .")


def _visible(text: str) -> str:
    """Without what cannot be seen, or cannot be in the name of a file on every system."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(c for c in text if unicodedata.category(c) not in _INVISIBLE)
    return _FORBIDDEN.sub("_", text).lstrip(" .-~").rstrip(" .")


def _unreserved(stem: str) -> str:
    return f"_{stem}" if _RESERVED.fullmatch(stem.partition(".")[0].rstrip()) else stem


def _split(name: str) -> tuple[str, str]:
    stem, dot, extension = name.rpartition(".")
    if not dot or not _EXTENSION.fullmatch(extension):
        return name, ""
    if extension.lower() in EXTENSIONS:
        return stem, f".{extension}"
    return name, ".bin"


def _extension_of(media_type: str) -> str:
    extension = mimetypes.guess_extension(media_type.partition(";")[0].strip()) or ""
    return extension if extension[1:] in EXTENSIONS else ""


def _shortened(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")
