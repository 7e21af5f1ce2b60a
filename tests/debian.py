"""Programs of the system that tests need: installed where we may, else a reason to skip."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from swather.net.browser import program

TEMPORARY = Path(tempfile.gettempdir())


def need(packages: Mapping[str, str]) -> None:
    """Install the packages whose file is missing. As root on Debian, and in CI, this must work;
    elsewhere the test is skipped.
    """
    lock = TEMPORARY / f"swather-tests-{os.geteuid()}-apt.lock"
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        missing = [name for name, path in packages.items() if not Path(path).exists()]
        if not missing:
            return
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
        if os.geteuid() == 0 and shutil.which("apt-get"):
            # Without the services that packages start at once.
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
            for command in (["apt-get", "update"], install):
                ran = subprocess.run(
                    command, env=quiet, capture_output=True, text=True, check=False
                )
            if ran.returncode != 0:
                pytest.fail(f"{' '.join(install)} failed: {ran.stderr.strip()}", pytrace=False)
        elif os.environ.get("CI"):
            pytest.fail(f"in CI this test must run: {' '.join(install)}", pytrace=False)
        else:
            pytest.skip(f"needs sudo {' '.join(install)}")


def need_chromium() -> None:
    """The one that is used if nothing is set."""
    if not any(map(shutil.which, (*program.SHELLS, *program.NAMES))):
        need({"chromium-headless-shell": f"/usr/bin/{program.SHELLS[0]}"})


def need_full_chromium() -> Path:
    """The one that could show its windows."""
    need({"chromium": "/usr/bin/chromium"})
    return Path("/usr/bin/chromium")
