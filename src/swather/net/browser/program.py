"""The browser's program: where it is, and whether it is new enough."""

import shutil
from pathlib import Path
from typing import Final

from swather.errors import InputError

NAMES: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
_APPLICATIONS: Final = (
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
)
MISSING: Final = (
    "no Chromium was found: install it (apt install chromium) or name the program with the "
    "setting chromium, SWATHER_CHROMIUM=/path/to/chromium"
)


def find(named: Path | None = None) -> Path:
    """The program to start: the one that was named, else one that is installed; InputError if
    there is none.
    """
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise InputError(f"the setting chromium names {str(named)!r}, which is not a program")
        return Path(found)
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    for application in _APPLICATIONS:
        if application.exists():
            return application
    raise InputError(MISSING)
