"""Text of others on a terminal: control characters are shown by their numbers instead."""

import codecs
import io
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Final, TextIO, cast

from swather.masking import masked

# C0 except tab and line feed, DEL, C1, and what turns the direction of writing or ends a line.
_STEERS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_STEERS_OR_BREAKS: Final = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""The text with \x1b for an escape character; tabs and line feeds are left."""
    return _STEERS.sub(_by_number, text)


def visible_line(text: str) -> str:
    """The same without line feeds and tabs, for a cell of a table."""
    return _STEERS_OR_BREAKS.sub(_by_number, text)


def visible_json(text: str) -> str:
    r"""JSON, which has only C0 escaped, with all the others as \u009b."""
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VisibleStream:
    """A text stream that neither controls the terminal nor shows passwords.

    It says that it is not a terminal, so that libraries that scrapers use write no colours to it.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(visible(masked(text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class VisibleBytes(io.RawIOBase):
    """UTF-8 on its way to a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(visible(self._decoder.decode(data)))
        return len(data)

    def flush(self) -> None:
        self._stream.flush()


def underneath(stream: TextIO) -> TextIO:
    """The stream itself, for callers that make what they write visible themselves."""
    return stream.stream if isinstance(stream, VisibleStream) else stream


@contextmanager
def visible_streams() -> Iterator[None]:
    """While this lasts, whatever this process prints, logs or traces back is visible text."""
    out, error = (
        cast("TextIO", VisibleStream(underneath(stream))) for stream in (sys.stdout, sys.stderr)
    )
    with redirect_stdout(out), redirect_stderr(error):
        yield


def _by_number(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _NAMES.get(code) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


_NAMES: Final = {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
