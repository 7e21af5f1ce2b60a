"""The source location of an error: where in the user's code it was raised."""

import functools
import inspect
import os
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from traceback import FrameSummary
from types import CodeType, TracebackType
from typing import Any, Final

from swather.model.outcome import MAX_MESSAGE_CHARACTERS

_OURS: Final = str(Path(__file__).resolve().parents[1]) + os.sep
_SHIPPED_SCRAPERS: Final = _OURS + "builtin" + os.sep
_PYTHONS: Final = (
    sysconfig.get_path("stdlib") + os.sep,
    sysconfig.get_path("platstdlib") + os.sep,
    "<frozen",
)
_INSTALLED: Final = ("/site-packages/", "/dist-packages/", "\\site-packages\\")
_MAX_FRAMES: Final = 40


def source_location(*errors: BaseException) -> str:
    """'file.py:12 in function': the innermost line of the user's own code that one of the errors
    has passed through, the first error first.

    An installed scraper has none: then the outermost line that is neither ours nor Python's, which
    is in the scraper itself. '' when there is no such line.
    """
    installed = ""
    for error in errors:
        own: TracebackType | None = None
        for trace in _frames(error.__traceback__):
            owner = code_owner(trace.tb_frame.f_code.co_filename)
            if owner == "user":
                own = trace
            elif owner == "installed" and not installed:
                installed = _line(trace.tb_frame.f_code, trace.tb_lineno)
        if own is not None:
            return _line(own.tb_frame.f_code, own.tb_lineno)
    return installed


def stack_location(stack: Iterable[FrameSummary]) -> str:
    """The same of a stack, the outermost frame first."""
    installed = ""
    own: FrameSummary | None = None
    for frame in stack:
        owner = code_owner(frame.filename)
        if owner == "user":
            own = frame
        elif owner == "installed" and not installed:
            installed = f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"
    return installed if own is None else f"{Path(own.filename).name}:{own.lineno} in {own.name}"


def definition(function: Callable[..., Any]) -> str:
    """Where a scraper's function, or its class's `scrape`, begins: for errors without a line."""
    code = getattr(inspect.unwrap(getattr(function, "scrape", function)), "__code__", None)
    return _line(code, code.co_firstlineno) if isinstance(code, CodeType) else ""


def _line(code: CodeType, number: int) -> str:
    return f"{Path(code.co_filename).name}:{number} in {code.co_name}"


def traceback_of(error: BaseException) -> str:
    """The traceback as text, without our own frames at its top; of a long one, the end."""
    try:
        lines = traceback.TracebackException(
            type(error), error, _without_ours(error.__traceback__), limit=-_MAX_FRAMES, compact=True
        ).format()
        text = "".join(lines)
    except Exception:  # noqa: BLE001 - a foreign __str__ or __repr__ may raise anything
        text = f"{type(error).__name__} (its traceback cannot be shown)\n"
    if len(text) <= MAX_MESSAGE_CHARACTERS:
        return text
    return "…" + text[1 - MAX_MESSAGE_CHARACTERS :]


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    for frame in _frames(trace):
        if code_owner(frame.tb_frame.f_code.co_filename) in {"user", "installed"}:
            return frame
    return trace


@functools.lru_cache(maxsize=1024)
def code_owner(filename: str) -> str:
    """Whose code a file is: 'user', 'installed', 'ours' or 'python'."""
    if filename.startswith(_OURS) and not filename.startswith(_SHIPPED_SCRAPERS):
        return "ours"
    if any(part in filename for part in _INSTALLED):
        return "installed"
    if filename.startswith(_PYTHONS):
        return "python"
    return "user"
