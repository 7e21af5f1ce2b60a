"""Sorts more records than fit in memory: sorted pieces on disk, merged while they are read."""

import os
import tempfile
from collections.abc import Iterator
from heapq import merge
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

import msgspec

from swather.errors import InputError

# Match, order, data: records are in the order of the first two, which are unique together.
Record = tuple[bytes, bytes, bytes]

_MEMORY_BYTES: Final = 32 << 20
# What Python needs for a record besides its bytes.
_RECORD_BYTES: Final = 250
_BLOCK_BYTES: Final = 64 << 10
_HEAD_BYTES: Final = 8

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Record]).decode


class DiskSort:
    """Add all records, then iterate over them in order, as often as needed."""

    def __init__(self, *, memory_bytes: int = _MEMORY_BYTES, folder: Path | None = None) -> None:
        self._memory_bytes = memory_bytes
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._records: list[Record] = []
        self._used_bytes = 0
        # Where each sorted piece begins and ends in the file.
        self._pieces: list[tuple[int, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, record: Record) -> None:
        self._records.append(record)
        self._used_bytes += sum(map(len, record)) + _RECORD_BYTES
        if self._used_bytes >= self._memory_bytes:
            self._spill()

    def __iter__(self) -> Iterator[Record]:
        self._records.sort()
        return merge(*(self._read(*piece) for piece in self._pieces), self._records)

    def _spill(self) -> None:
        """Move what is in memory to the file."""
        self._records.sort()
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(  # noqa: SIM115 - closed with the sort
                    prefix=".swather-sort-", dir=self._folder
                )
            begin = self._file.seek(0, os.SEEK_END)
            average = max(self._used_bytes // len(self._records), 1)
            size = max(_BLOCK_BYTES // average, 1)
            for first in range(0, len(self._records), size):
                data = _encode(self._records[first : first + size])
                self._file.write(len(data).to_bytes(_HEAD_BYTES))
                self._file.write(data)
            self._file.flush()
        except OSError as error:
            where = self._folder or tempfile.gettempdir()
            raise InputError(
                f"cannot sort items in {where}: {error.strerror or error}; TMPDIR names another "
                "folder"
            ) from error
        self._pieces.append((begin, self._file.tell()))
        self._records = []
        self._used_bytes = 0

    def _read(self, at: int, end: int) -> Iterator[Record]:
        if self._file is None:
            return
        # At its own place in the file, whoever else reads there.
        number = self._file.fileno()
        while at < end:
            size = int.from_bytes(os.pread(number, _HEAD_BYTES, at))
            yield from _decode(os.pread(number, size, at + _HEAD_BYTES))
            at += _HEAD_BYTES + size
