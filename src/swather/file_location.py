"""Where saved files go: a folder on a disk, or one in an S3 bucket."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

SCHEME: Final = "s3://"
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
# A key has at most 1,024 bytes, and the names below the folder need most of them.
_MAX_PREFIX_BYTES: Final = 300


@dataclass(frozen=True)
class BucketFolder:
    """All objects in a bucket whose keys begin with `prefix/`; all of them if it is empty."""

    bucket: str
    prefix: str = ""

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.prefix}".rstrip("/")

    def __truediv__(self, below: PurePosixPath) -> "BucketFolder":
        return BucketFolder(self.bucket, str(PurePosixPath(self.prefix) / below))


Location = Path | BucketFolder


def read_location(given: str | Location) -> Location:
    """A location from text; ValueError when an s3:// address cannot be used."""
    if not isinstance(given, str) or not given.startswith(SCHEME):
        return given if isinstance(given, BucketFolder) else Path(given)
    bucket, _, prefix = given.removeprefix(SCHEME).partition("/")
    prefix = prefix.strip("/")
    if _BUCKET.fullmatch(bucket) is None or not _is_usable(prefix):
        raise ValueError("should look like 's3://bucket/prefix'; keys have settings of their own")
    return BucketFolder(bucket, prefix)


def from_here(given: str | Path) -> str | Path:
    """A folder by its whole path; the address of a bucket as it is, to be read later."""
    return given if str(given).startswith(SCHEME) else Path(given).absolute()


def below(start: Path, location: Location) -> Location:
    """A relative folder is one below `start`."""
    return location if isinstance(location, BucketFolder) else start / location


def _is_usable(prefix: str) -> bool:
    if len(prefix.encode(errors="replace")) > _MAX_PREFIX_BYTES or not prefix.isprintable():
        return False
    parts = prefix.split("/") if prefix else []
    return not any(part in {"", ".", ".."} or set(part) & set("?#\\") for part in parts)
