"""The browser's program: where it is, and whether it is new enough."""

import asyncio
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from swather.errors import InputError

# Chromium without its windows, in which a page takes less processor time (decision 9).
SHELLS: Final = ("chromium-headless-shell", "chrome-headless-shell")
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
MIN_VERSION: Final = 120
_VERSION: Final = re.compile(r"\b(\d{1,4})\.\d+\.\d+")
_VERSION_SECONDS: Final = 30.0
MISSING: Final = (
    "no Chromium was found: install it (apt install chromium-headless-shell, or chromium) or name "
    "the program with the setting chromium, SWATHER_CHROMIUM=/path/to/chromium"
)
NO_WINDOWS: Final = (
    "{} cannot show a window: install another Chromium (apt install chromium), or name it with the "
    "setting chromium, SWATHER_CHROMIUM=/path/to/chromium"
)


def find(named: Path | None = None, *, headed: bool = False) -> Path:
    """The program to start: the one that was named, else one that is installed; InputError if
    there is none, or none with a window for one that is to be `headed`.
    """
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise InputError(f"the setting chromium names {str(named)!r}, which is not a program")
        program = Path(found)
    else:
        program = _installed(headed=headed)
    if headed and is_shell(program):
        raise InputError(NO_WINDOWS.format(program))
    return program


def _installed(*, headed: bool) -> Path:
    for name in (*NAMES, *SHELLS) if headed else (*SHELLS, *NAMES):
        if found := shutil.which(name):
            return Path(found)
    for application in _APPLICATIONS:
        if application.exists():
            return application
    raise InputError(MISSING)


def is_shell(program: Path) -> bool:
    """Whether it has no windows, as far as its name tells."""
    return program.name in SHELLS


async def checked(named: Path | None = None, *, headed: bool = False) -> Path:
    """The same; InputError too if it cannot be used."""
    program = find(named, headed=headed)
    await asyncio.to_thread(check, program)
    return program


def check(program: Path) -> None:
    """InputError if it is older than what Playwright can drive, or does not run."""
    version = version_of(program)
    if version is not None and version < MIN_VERSION:
        raise InputError(
            f"{program} is Chromium {version}, and a browser must be {MIN_VERSION} or newer: "
            "upgrade it, or name another program with the setting chromium"
        )


def version_of(program: Path) -> int | None:
    """The number of its release; None if it does not say. InputError if it does not run."""
    try:
        ran = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except OSError as error:
        raise InputError(f"{program} cannot be started: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        return None
    found = _VERSION.search(ran.stdout)
    if found is None and ran.returncode:
        raise InputError(
            f"{program} does not run: {program} --version ended with exit code {ran.returncode}"
        )
    return None if found is None else int(found[1])
