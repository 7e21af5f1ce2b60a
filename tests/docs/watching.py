"""Draws the live view of a run that a site holds back, at 80 and 140 columns, from one that really
runs: python -m tests.docs.watching.
"""

import io
import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from swather.cli import main
from swather.runs import view
from swather.runs.drawing import Drawing
from swather.runs.progress import Snapshot
from swather.testing.site import Answer, FakeSite
from tests.docs.blocks import ROOT
from tests.docs.screenshot import plain_font

FOLDER = ROOT / "docs" / "images"
WIDTHS = (80, 140)
PAGES = 1_000
SCRAPER = """
from swather import scraper

@scraper(timeout=10, rate="none", robots=False, retries=0)
async def prices(ctx, url):
    page = await ctx.get(url)
    return {"price": page.css_first(".price").text()}
"""


class Recorder(view.Silent):
    """Keeps the last moment at which something stopped a part of the run."""

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None

    def show(self, snapshot: Snapshot) -> None:
        if snapshot.stops and snapshot.running and snapshot.rate_per_second:
            self.snapshot = snapshot


def a_moment() -> Snapshot:
    """A run on two sites: one is well but for some pages, the other wants to be left alone."""
    page, old = Answer("<p class=price>9</p>", seconds=0.1), Answer("<p>9</p>", seconds=0.1)
    well = {f"/{number}": old if number % 25 == 0 else page for number in range(PAGES)}
    busy = {f"/{number}": Answer(status=429, headers={"Retry-After": "109"}) for number in range(9)}
    recorder = Recorder()
    view.view_on = lambda console: recorder  # type: ignore[assignment,return-value]
    with FakeSite(well) as one, FakeSite(busy) as other, tempfile.TemporaryDirectory() as made:
        os.chdir(made)
        Path("prices.py").write_text(SCRAPER)
        targets = [f"{one.url}{path}" for path in well] + [f"{other.url}{path}" for path in busy]
        Path("urls.txt").write_text("\n".join(targets))
        main(["run", "prices.py", "--targets", "urls.txt", "--workers", "2", "--max-time", "8s"])
        os.chdir(ROOT)
    assert recorder.snapshot is not None
    return recorder.snapshot


def draw(snapshot: Snapshot, columns: int) -> str:
    console = Console(width=columns, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ swather run prices.py --targets urls.txt --workers 2", style="bold"))
    console.print(Drawing(snapshot))
    title = f"swather run, {columns} columns"
    return plain_font(console.export_svg(title=title, unique_id=f"live{columns}"))


if __name__ == "__main__":
    seen = a_moment()
    for width in WIDTHS:
        path = FOLDER / f"live-{width}.svg"
        path.write_text(draw(seen, width))
        print(path, file=sys.stderr)  # noqa: T201
