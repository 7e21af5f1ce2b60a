"""Files that scrapers save: the verbs of where they are kept, a folder or a bucket."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Final, NamedTuple, Protocol

from swather.errors import InputError
from swather.file_location import Location
from swather.model.outcome import File
from swather.model.results import Part
from swather.scraping.downloads import Landed
from swather.scraping.filenames import label_of, safe_name

ORPHAN_SECONDS: Final = 86_400.0
CHUNK_BYTES: Final = 1 << 20
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Pruned(NamedTuple):
    """What was removed."""

    files: int
    size_bytes: int


class FileStore(Protocol):
    """Keeps files. Nothing is ever overwritten by other content, and no file is there in part.

    Content is named by its hash, and may be written by any attempt, even one that has lost its
    lease. Friendly names are given after the commit.
    """

    @property
    def location(self) -> Location:
        """Where it is, as a setting would name it."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether all machines see the same files."""
        ...

    def make(self) -> None:
        """Make it ready to take files; InputError when that cannot be done."""
        ...

    def save_file(
        self, content: bytes | Path | Landed, name: str | None = None, media_type: str = ""
    ) -> File:
        """Save content durably and return its File, with the `name` that the user gave."""
        ...

    def save(self, content: bytes | Path) -> tuple[str, int]:
        """Save bytes, or a copy of the file at a path, durably; (sha256, size in bytes)."""
        ...

    def new_path(self) -> Path:
        """For a file on this machine's disk that is written, and then saved or removed."""
        ...

    def open_new(self, path: Path) -> IO[bytes]:
        """Open a `new_path` for writing."""
        ...

    def link_name(self, sha256: str, name: str | None, media_type: str = "") -> Location:
        """Give stored content a friendly name; repeating it is harmless. If the name is taken by
        other content, 'a-1.pdf' and so on is used.
        """
        ...

    def link_parts(self, parts: Mapping[Part, Iterable[File]]) -> list[Part]:
        """Give committed files their names; the parts whose files all have one now.
        BucketUnavailable if the storage is away: some may have theirs all the same.
        """
        ...

    def has_all(self, files: Iterable[File]) -> bool:
        """Whether the content of all of them may be here."""
        ...

    def chunks_of(self, sha256: str) -> Iterator[bytes]:
        """The content of this hash, in pieces; FileNotFoundError before the first if it is not
        here.
        """
        ...

    def files_named(self, names: Iterable[str]) -> set[str]:
        """Those of the names that files have."""
        ...

    def sweep(self) -> int:
        """Remove what processes of this machine left unfinished when they died; how many files."""
        ...

    def prune_daily(self, is_referenced: Callable[[str], bool]) -> Pruned:
        """Remove old content that no row refers to, unless that was done within the last day."""
        ...


def file_of(sha256: str, size_bytes: int, name: str | None, media_type: str) -> File:
    """Stored content as it is described in its row."""
    return File(
        name=label_of(name) or safe_name(None, sha256, media_type),
        sha256=sha256,
        size_bytes=size_bytes,
        media_type=label_of(media_type),
    )


def check_sha256(sha256: str) -> None:
    if _SHA256.fullmatch(sha256) is None:
        raise InputError(f"a SHA-256 has 64 hexadecimal digits, got {sha256!r}")


def copy_hashed(source: Path, file: IO[bytes]) -> tuple[str, int]:
    """Copy a regular file into an open one; (sha256, size in bytes)."""
    if source.is_symlink() or not source.is_file():
        raise InputError(f"save() takes a regular file, and {str(source)!r} is not one")
    digest = hashlib.sha256()
    size = 0
    with source.open("rb") as opened:
        while chunk := opened.read(CHUNK_BYTES):
            digest.update(chunk)
            size += file.write(chunk)
    return digest.hexdigest(), size
