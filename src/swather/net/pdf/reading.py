"""The table of a PDF, with bounds: its size, its pages, and the time and memory it may take."""

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Final

from swather.errors import InputError, MissingExtra
from swather.masking import shown_url
from swather.net.errors import BadResponse, MissingElement, TooComplex, TooLarge
from swather.net.pdf import process

MAX_BYTES: Final = 50 << 20
MAX_PAGES: Final = 2_000
PROCESSOR_SECONDS: Final = 60.0
# Where the end is looked for: some files have something after it.
_END_BYTES: Final = 64 << 10
# The machine may have others to serve.
_PATIENCE: Final = 5
MISSING: Final = (
    "tables of PDF files need a package that is not installed: pip install 'swather[pdf]'"
)


def table_rows(
    content: bytes, url: str, columns: Sequence[str], *, max_pages: int = MAX_PAGES
) -> list[dict[str, str]]:
    """The rows of the table whose head has these names, over all pages, by column.

    MissingElement if no line has all of the names; BadResponse if it is not a PDF that can be
    read, TooLarge or TooComplex if it is more than we read.
    """
    names = [" ".join(name.split()) for name in columns]
    if not names or not all(names) or len(set(map(str.casefold, names))) < len(names):
        raise InputError(f"expected different names of columns, got {list(columns)!r}")
    if find_spec("pypdfium2") is None:
        raise MissingExtra(MISSING)
    if not content.startswith(b"%PDF-"):
        raise BadResponse(f"{shown_url(url)} is not a PDF")
    if b"%%EOF" not in content[-_END_BYTES:]:
        raise BadResponse(f"{shown_url(url)} is cut off: the end of a PDF is missing")
    if len(content) > MAX_BYTES:
        raise TooLarge(f"{shown_url(url)} has {len(content):,} bytes; a PDF may have {MAX_BYTES:,}")
    answer = _answer(content, url, names, max_pages)
    if "rows" not in answer:
        raise _failure(answer, url, names, max_pages)
    rows: list[dict[str, str]] = answer["rows"]
    return rows


def _answer(content: bytes, url: str, names: list[str], max_pages: int) -> dict[str, Any]:
    order = {"columns": names, "max_pages": max_pages, "seconds": PROCESSOR_SECONDS}
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-m", process.__name__, json.dumps(order)],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            start_new_session=True,
            timeout=_PATIENCE * PROCESSOR_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise TooComplex(f"{shown_url(url)} takes too long to read") from None
    if ended.returncode:
        raise TooComplex(
            f"{shown_url(url)} takes more than {PROCESSOR_SECONDS:.0f} s of processor time or more "
            f"memory than it may, or crashes the reader (status {ended.returncode})"
        )
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def _failure(
    answer: dict[str, Any], url: str, names: list[str], max_pages: int
) -> BadResponse | TooLarge | MissingElement:
    shown, why = shown_url(url), answer["why"]
    match answer["error"]:
        case "head":
            return MissingElement(f"no line of {shown} has all of the columns {', '.join(names)}")
        case "pages":
            return TooLarge(f"{shown} is too long: {why}, and {max_pages:,} are read at most")
        case "large":
            return TooLarge(f"{shown} is too large: {why}")
        case _:
            return BadResponse(f"{shown} cannot be read: {why}")
