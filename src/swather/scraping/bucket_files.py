"""Saved files in an S3 bucket: content under its hash, and copies of it under friendly names.

.content/ab/abcd…    content, by its SHA-256
.names/cats/a.jpg    the hash of the content that a name belongs to: who creates it has the name
cats/a.jpg           the copy that people use
.removed/abcd…       content that no row referred to, before it is deleted
.pruned              written when that was last looked for
"""

import hashlib
import logging
import math
import random
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from mmap import ACCESS_READ, mmap
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import IO, Final

from swather import permissions
from swather.errors import InputError
from swather.file_location import BucketFolder
from swather.held_folder import HeldFolder
from swather.model.outcome import File
from swather.model.results import Part
from swather.net.bucket import MAX_BYTES, Bucket, BucketAccess, BucketUnavailable, Found
from swather.scraping.downloads import Landed
from swather.scraping.filenames import numbered, safe_path, with_hash
from swather.scraping.files import ORPHAN_SECONDS, Pruned, check_sha256, copy_hashed, file_of

# Names given at the same time: each takes three requests, which mostly wait.
_THREADS: Final = 8
# Less is uploaded without asking whether it is there.
_WORTH_ASKING_BYTES: Final = 1 << 20
# How long a worker looks for old content on a day; the rest is for another day.
_PRUNE_SECONDS: Final = 20.0

_log = logging.getLogger(__name__)


class BucketFiles:
    """See swather.scraping.files.FileStore.

    A server that does not create an object only if there is none cannot say who came first. There,
    names end with the start of the hash, so that no two contents want the same.
    """

    is_shared = True

    def __init__(self, folder: BucketFolder, access: BucketAccess) -> None:
        self.location = folder
        self._bucket = Bucket(folder, access)

    def make(self) -> None:
        try:
            self.check()
        except BucketUnavailable as error:
            raise InputError(str(error)) from error

    def check(self) -> None:
        """BucketUnavailable if objects cannot be written, listed, read and deleted now."""
        key = f".content/check-{token_hex(8)}"
        self._bucket.put(key, b"swather")
        next(self._bucket.list(".content"), None)
        self._bucket.read(key)
        self._bucket.delete(key)

    @cached_property
    def keeps_names(self) -> bool:
        """Whether names are given as they are."""
        return self._bucket.creates_once(f".content/check-{token_hex(8)}")

    def save_file(
        self, content: bytes | Path | Landed, name: str | None = None, media_type: str = ""
    ) -> File:
        if isinstance(content, Landed):
            sha256, size = self._take_in(content)
        else:
            sha256, size = self.save(content)
        return file_of(sha256, size, name, media_type)

    def save(self, content: bytes | Path) -> tuple[str, int]:
        if isinstance(content, bytes):
            sha256 = hashlib.sha256(content).hexdigest()
            self._upload(content, sha256)
            return sha256, len(content)
        path = self.new_path()
        try:
            # A copy: what is uploaded must be what was hashed, whoever writes to the file.
            with self.open_new(path) as file:
                sha256, size = copy_hashed(content, file)
            self._upload_file(path, sha256, size)
        finally:
            path.unlink(missing_ok=True)
        return sha256, size

    def new_path(self) -> Path:
        return self._held.path / token_hex(16)

    def open_new(self, path: Path) -> IO[bytes]:
        return open(path, "xb", opener=permissions.opener)

    def link_name(self, sha256: str, name: str | None, media_type: str = "") -> BucketFolder:
        check_sha256(sha256)
        folders, last = safe_path(name, sha256, media_type)
        given = numbered(last, sha256) if self.keeps_names else [with_hash(last, sha256)]
        for candidate in given:
            key = "/".join((*folders, candidate))
            if self._is_ours(key, sha256) and self._is_copied(sha256, key):
                return self.location / PurePosixPath(key)
        raise FileExistsError(f"all names for it are taken by other files: {name!r}")

    def link_parts(self, parts: Mapping[Part, Iterable[File]]) -> list[Part]:
        """Several at a time; BucketUnavailable if some could not be named now."""
        with ThreadPoolExecutor(_THREADS, "swather-names") as threads:
            named = threads.map(lambda part: self._name_all(part, parts[part]), parts)
            return [part for part, is_named in zip(parts, named, strict=True) if is_named]

    def chunks_of(self, sha256: str) -> Iterator[bytes]:
        check_sha256(sha256)
        yield from self._bucket.chunks(_content_key(sha256))

    def has_all(self, files: Iterable[File]) -> bool:
        """Not asked of the server: naming them shows it."""
        del files
        return True

    def files_named(self, names: Iterable[str]) -> set[str]:
        """All of them if the server keeps no names as they are."""
        wanted = list(names)
        if not self.keeps_names:
            return set(wanted)
        with ThreadPoolExecutor(_THREADS, "swather-names") as threads:
            found = threads.map(lambda name: self._bucket.find(_key_of(name)), wanted)
            return {name for name, there in zip(wanted, found, strict=True) if there}

    def sweep(self) -> int:
        """Nothing: an upload is whole or not there, and what waits for one is in a folder that the
        next process of this user removes.
        """
        return 0

    def prune_daily(self, is_referenced: Callable[[str], bool]) -> Pruned:
        mark = self._bucket.find(".pruned")
        if mark is not None and mark.age_seconds < ORPHAN_SECONDS:
            return Pruned(0, 0)
        self._bucket.put(".pruned", b"swather")
        return self.prune(is_referenced, seconds=_PRUNE_SECONDS)

    def prune(
        self,
        is_referenced: Callable[[str], bool],
        older_than_seconds: float = ORPHAN_SECONDS,
        *,
        seconds: float = math.inf,
    ) -> Pruned:
        """Delete what was set aside a day ago, and set aside old content that no row refers to.

        An attempt may save the same content just before it is set aside, and commit later. That
        is why it is kept for another day, and comes back once it is named or a row refers to it.
        """
        sizes = []
        for aside in self._bucket.list(".removed"):
            if aside.age_seconds < older_than_seconds:
                continue
            if is_referenced(aside.name):
                self._bucket.copy(aside.key, _content_key(aside.name))
            else:
                sizes.append(aside.size_bytes)
            self._bucket.delete(aside.key)
        until = time.monotonic() + seconds
        for found in self._from_anywhere():
            if found.age_seconds >= older_than_seconds and not is_referenced(found.name):
                self._bucket.copy(found.key, _removed_key(found.name))
                self._bucket.delete(found.key)
            if time.monotonic() > until:
                break
        return Pruned(len(sizes), sum(sizes))

    def _from_anywhere(self) -> Iterator[Found]:
        """All content, from a hash on that is another one each time."""
        start = f".content/{random.randrange(256):02x}"
        yield from self._bucket.list(".content", after=start)
        for found in self._bucket.list(".content"):
            if found.key > start:
                return
            yield found

    @cached_property
    def _held(self) -> HeldFolder:
        """Where files wait for their upload."""
        held = HeldFolder("files")
        weakref.finalize(self, held.remove)
        return held

    def _take_in(self, landed: Landed) -> tuple[str, int]:
        if landed.is_changed:
            saved = self.save(landed.path)
            landed.path.unlink()
            return saved
        try:
            self._upload_file(landed.path, landed.sha256, landed.size_bytes)
            landed.path.unlink()
        except FileNotFoundError:
            if self._bucket.find(_content_key(landed.sha256)) is None:
                raise
        return landed.sha256, landed.size_bytes

    def _upload_file(self, path: Path, sha256: str, size: int) -> None:
        if not size:
            self._upload(b"", sha256)
            return
        with path.open("rb") as file:
            self._upload(mmap(file.fileno(), 0, access=ACCESS_READ), sha256)

    def _upload(self, content: bytes | mmap, sha256: str) -> None:
        """Unless it is there already, and will not be pruned before its new row is committed."""
        if len(content) > MAX_BYTES:
            raise InputError(
                f"a file in a bucket has at most {MAX_BYTES >> 30} GiB, got {len(content):,} bytes"
            )
        key = _content_key(sha256)
        if len(content) >= _WORTH_ASKING_BYTES:
            found = self._bucket.find(key)
            if found is not None and found.age_seconds < ORPHAN_SECONDS / 2:
                return
        self._bucket.put(key, content)

    def _name_all(self, part: Part, files: Iterable[File]) -> bool:
        try:
            for file in files:
                self.link_name(file.sha256, file.name, file.media_type)
        except FileNotFoundError:
            _log.debug("files of task %d are not in %s", part[0], self.location)
        except BucketUnavailable:
            raise
        except (OSError, InputError):
            _log.exception("files of task %d were stored but could not be named", part[0])
        else:
            return True
        return False

    def _is_ours(self, key: str, sha256: str) -> bool:
        """Whether the name belongs to this content, from now on if it belongs to none yet."""
        if not self.keeps_names:
            return True
        claim, content = f".names/{key}", sha256.encode()
        return self._bucket.create(claim, content) or self._bucket.read(claim) == content

    def _is_copied(self, sha256: str, key: str) -> bool:
        """Whether the content has the name; False if a stranger has put something else there."""
        there = self._bucket.find(key)
        if there is None:
            self._copy_content(sha256, key)
            return True
        content = self._bucket.find(_content_key(sha256))
        if content is not None and content.size_bytes != there.size_bytes:
            return False
        is_same = content is not None and content.tag == there.tag
        return is_same or self._bucket.sha256_of(key) == sha256

    def _copy_content(self, sha256: str, key: str) -> None:
        try:
            self._bucket.copy(_content_key(sha256), key)
        except FileNotFoundError:
            self._bucket.copy(_removed_key(sha256), _content_key(sha256))
            self._bucket.copy(_content_key(sha256), key)


def _content_key(sha256: str) -> str:
    return f".content/{sha256[:2]}/{sha256}"


def _removed_key(sha256: str) -> str:
    return f".removed/{sha256}"


def _key_of(name: str) -> str:
    folders, last = safe_path(name, "")
    return "/".join((*folders, last))
