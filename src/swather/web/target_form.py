"""Targets that were typed into a form, or are in a file that was sent with it."""

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from swather.errors import InputError
from swather.runs.targets import BadLine, Form, Line, form_of, read_targets

_JSON: Final = ("{", "[", '"')
_BAD_LINES: Final = 3


def typed_targets(text: str) -> list[Any]:
    """One on each line; lines that are JSON throughout are read as that."""
    first = text.lstrip()[:1]
    return _read(text.encode(), Form.JSON_LINES if first in _JSON and first else Form.TEXT)


def sent_targets(name: str, content: bytes) -> list[Any]:
    """In a file of text, CSV or JSON lines, as its name says."""
    form = form_of(Path(name.replace("\0", "")).name or "targets.txt")
    return _read(content, form)


def _read(content: bytes, form: Form) -> list[Any]:
    with TemporaryDirectory(prefix="swather-") as folder:
        file = Path(folder) / f"targets.{form}"
        file.write_bytes(content)
        entries = list(read_targets(str(file), form=form))
    if bad := [entry for entry in entries if isinstance(entry, BadLine)]:
        said = "; ".join(f"line {each.number}: {each.reason}" for each in islice(bad, _BAD_LINES))
        more = f"; and {len(bad) - _BAD_LINES:,} more" if len(bad) > _BAD_LINES else ""
        raise InputError(f"{said}{more}")
    return [entry.value for entry in entries if isinstance(entry, Line)]
