"""The lines of a file, of a gzipped file, of standard input or of a stream, as bytes and never all
at once.
"""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from swather.errors import InputError
from swather.model.payload import MAX_TARGET_BYTES

STDIN: Final = "-"
MAX_LINE_BYTES: Final = MAX_TARGET_BYTES
_BOM: Final = b"\xef\xbb\xbf"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def physical_lines(source: str) -> Iterator[tuple[int, bytes | None]]:
    """(number, line) without its end; None for a line that is too long to be a target."""
    with _opened(source) as stream:
        yield from lines_in(stream, source)


def lines_in(stream: IO[bytes], source: str) -> Iterator[tuple[int, bytes | None]]:
    """The same of a stream that is open already; `source` is what people call it."""
    number = 0
    try:
        while raw := stream.readline(MAX_LINE_BYTES + 2):
            number += 1
            if number == 1:
                raw = _without_mark(source, raw)
            yield number, _whole(stream, raw)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{source} is damaged after line {number:,}: {error}") from error
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror or error}") from error


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    if source == STDIN:
        with _standard_input() as stream:
            yield stream
        return
    path = Path(source)
    try:
        stream = path.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"there is no file {source!r}") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{source!r} cannot be read: {error}") from error
    with stream:
        if path.suffix.lower() != ".gz":
            yield stream
            return
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield unpacked  # type: ignore[misc]


def _standard_input() -> IO[bytes]:
    """A reader of our own: the interpreter cannot exit while a thread waits in sys.stdin."""
    if sys.stdin is None:
        raise InputError("standard input is closed")
    return open(sys.stdin.fileno(), "rb", closefd=False)


def _without_mark(source: str, raw: bytes) -> bytes:
    if raw.startswith(_UTF_16):
        raise InputError(f"{source} is in UTF-16; save it as UTF-8")
    return raw.removeprefix(_BOM)


def _whole(stream: IO[bytes], raw: bytes) -> bytes | None:
    """The line without its end; the rest of one that is too long is read and dropped."""
    ended = raw.endswith(b"\n")
    line = raw.rstrip(b"\r\n")
    if len(line) <= MAX_LINE_BYTES:
        return line
    while not ended and (raw := stream.readline(MAX_LINE_BYTES)):
        ended = raw.endswith(b"\n")
    return None
