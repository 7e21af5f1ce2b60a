"""The browser of `swather try`: whether it is wanted, shown, and what its last page looked like."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.errors import InputError

if TYPE_CHECKING:
    from swather.cli.try_fixture import Saving
    from swather.scraping.scraper import Scraper
    from swather.settings import Settings
    from swather.testing.browser import RealBrowser

InBrowser = Annotated[
    bool,
    typer.Option("--browser", help="Render the pages of ctx.get() in a browser, scripts and all."),
]
Headed = Annotated[bool, typer.Option("--headed", help="Show the browser's window.")]
Screenshot = Annotated[
    Path | None,
    typer.Option(
        "--screenshot", metavar="FILE", help="Write a picture of the last page to a .png file."
    ),
]

_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")


class TriedBrowser:
    """Checked before anything is fetched. A scraper that has no browser gets one for its pages."""

    def __init__(
        self,
        scraper: "Scraper",
        settings: "Settings",
        *,
        in_browser: bool,
        headed: bool,
        screenshot: Path | None,
        saving: "Saving | None",
    ) -> None:
        if headed:
            _check_display()
        if screenshot is not None:
            _check_writable(screenshot)
        self._name = str(screenshot)
        self._screenshot = None if screenshot is None else screenshot.absolute()
        own = scraper.options.browser
        self._browser = None
        if own or in_browser or headed or screenshot is not None:
            record = None if saving is None else saving.record
            self._browser = _new_browser(
                settings, headed=headed, instead_of_get=not own, record=record
            )

    @property
    def browser(self) -> "RealBrowser | bool":
        return self._browser or False

    def save(self) -> dict[str, Any] | None:
        """Write the picture, also of a page that the scraper failed on."""
        if self._screenshot is None or self._browser is None:
            return None
        seen = self._browser.seen
        if seen is None or not seen.screenshot:
            return {"path": None}
        try:
            self._screenshot.write_bytes(seen.screenshot)
        except OSError as error:
            raise InputError(
                f"the screenshot cannot be written to {self._name}: {error.strerror}"
            ) from error
        return {"path": self._name, "bytes": len(seen.screenshot), "url": seen.url}


def _new_browser(settings: "Settings", **options: Any) -> "RealBrowser":
    from swather.fleet.worker_factory import browser_policy
    from swather.testing.browser import RealBrowser

    return RealBrowser(browser_policy(settings), **options)


def show(saved: dict[str, Any] | None) -> None:
    if saved is None:
        return
    from swather.cli import output

    said = output.stderr()
    if saved["path"] is None:
        said.print("No screenshot was written: the browser had no page to show.", style="bold")
    else:
        size = output.size(saved["bytes"])
        said.print(f"Screenshot of {saved['url']}: {saved['path']}, {size}", style="bold")


def _check_display() -> None:
    if sys.platform == "linux" and not any(map(os.environ.get, _DISPLAYS)):
        raise InputError(
            "--headed needs a display, and DISPLAY is not set here; leave it out and use "
            "--screenshot FILE, or run it under xvfb-run"
        )


def _check_writable(path: Path) -> None:
    if path.suffix.lower() != ".png":
        raise InputError(f"--screenshot writes a .png file, got {str(path)!r}")
    if not path.parent.is_dir() or path.is_dir():
        raise InputError(f"the screenshot cannot be written to {path}: no such folder")
