"""Shows a run in a notebook: one output of the cell, updated in place. It needs no ipywidgets."""

import io
from importlib import import_module
from time import monotonic
from typing import Any, Final, Self

from swather.runs.progress import Snapshot

_COLUMNS: Final = 100
_SECONDS_PER_UPDATE: Final = 0.5


class NotebookView:
    """The picture that a terminal shows, as plain text: nothing of a site can be markup in it."""

    def __init__(self) -> None:
        self._display: Any = None
        self._shown: Snapshot | None = None
        self._next_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._update(self._shown)

    def say(self, line: str) -> None:
        from swather.masking import masked  # noqa: PLC0415
        from swather.visible import visible  # noqa: PLC0415

        print(visible(masked(line)))  # noqa: T201 - the cell's own output

    def show(self, snapshot: Snapshot) -> None:
        if snapshot == self._shown:
            return
        self._shown = snapshot
        if monotonic() >= self._next_at or snapshot.is_over:
            self._next_at = monotonic() + _SECONDS_PER_UPDATE
            self._update(snapshot)

    def _update(self, snapshot: Snapshot) -> None:
        bundle = {"text/plain": _drawn(snapshot)}
        if self._display is None:
            display = import_module("IPython.display").display
            self._display = display(bundle, raw=True, display_id=True)
        else:
            self._display.update(bundle, raw=True)


def _drawn(snapshot: Snapshot) -> str:
    from swather.runs.console import PlainConsole  # noqa: PLC0415 - only where it is drawn
    from swather.runs.drawing import Drawing  # noqa: PLC0415

    console = PlainConsole(
        file=io.StringIO(), width=_COLUMNS, force_terminal=False, force_jupyter=False
    )
    with console.capture() as captured:
        console.print(Drawing(snapshot))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
