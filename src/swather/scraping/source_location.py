"""The source location of an error: where in the user's code it was raised."""

import functools
import os
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final

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


def source_location(error: BaseException) -> str:
    """'file.py:function' of the innermost frame in the user's own code.

    An installed scraper has none: then of the outermost frame that is neither ours nor Python's,
    which is the scraper itself. '' when there is no such frame.
    """
    installed = ""
    own = ""
    for trace in _frames(error.__traceback__):
        code = trace.tb_frame.f_code
        owner = code_owner(code.co_filename)
        if owner == "user":
            own = f"{Path(code.co_filename).name}:{code.co_name}"
        elif owner == "installed" and not installed:
            installed = f"{Path(code.co_filename).name}:{code.co_name}"
    return own or installed


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
