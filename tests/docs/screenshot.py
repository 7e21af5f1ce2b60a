"""Draws docs/images/demo.svg from a demo that really runs: python -m tests.docs.screenshot."""

import io
import re
import sys

from rich.console import Console
from rich.text import Text

from swather.cli import main
from swather.runs import view
from swather.runs.drawing import Drawing
from swather.runs.progress import Snapshot
from swather.testing import shop
from tests.docs.blocks import ROOT

PATH = ROOT / "docs" / "images" / "demo.svg"
COLUMNS = 100
# Where most workers have something to show, and the killed one has been replaced.
SHARE_DONE = 0.85
PAGES = shop().pages
# Rich names a font on a server of others; readers have one of their own.
_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


class Recorder(view.Silent):
    """Keeps what was said, and the last moment before most was done."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.snapshot: Snapshot | None = None

    def say(self, line: str) -> None:
        if self.snapshot is None or self._is_early(self.snapshot):
            self.said.append(line)

    def show(self, snapshot: Snapshot) -> None:
        if self.snapshot is None or self._is_early(snapshot):
            self.snapshot = snapshot

    @staticmethod
    def _is_early(snapshot: Snapshot) -> bool:
        return snapshot.counts.done <= SHARE_DONE * PAGES


def draw() -> str:
    recorder = Recorder()
    view.view_on = lambda console: recorder  # type: ignore[assignment,return-value]
    assert main(["demo", "--json"]) == 0
    assert recorder.snapshot is not None
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ swather demo", style="bold"))
    for line in recorder.said:
        console.print(line, markup=False, highlight=False)
    console.print(Drawing(recorder.snapshot))
    drawn = console.export_svg(title="swather demo", unique_id="demo")
    return plain_font(drawn)


def plain_font(drawn: str) -> str:
    return _FONT.sub("", drawn).replace("Fira Code, monospace", "monospace")


if __name__ == "__main__":
    PATH.write_text(draw())
    print(PATH, file=sys.stderr)  # noqa: T201
