"""Checks of the ways out: the proxy pool, Tor, browsers."""

import asyncio
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from swather.errors import SwatherError
from swather.model.proxy import ProxyState
from swather.net.browser import program
from swather.net.tor.process import TorFailed, find_binary
from swather.runs.health import Check, Health
from swather.runs.words import command
from swather.settings import Settings
from swather.store import Store

# More than anyone has.
_MAX_PROXIES: Final = 1_000_000
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
_PATIENCE_SECONDS: Final = 10.0
_CHEAPER: Final = "pages take less processor time with `apt install chromium-headless-shell`"


def proxies_check(store: Store) -> Check:
    """The whole pool, whoever uses it."""
    states = [row.state for row in store.proxies.find(limit=_MAX_PROXIES)]
    if not states:
        hint = command("proxies", "import", "FILE", url=store.url)
        return Check("proxies", Health.OK, f"none; to import a list: {hint}")
    usable = states.count(ProxyState.USABLE)
    health = Health.OK if usable else Health.WARNING
    return Check("proxies", health, f"{usable:,} of {len(states):,} usable")


def tor_checks(settings: Settings) -> Iterator[Check]:
    """That none is installed is no problem, unless one is named."""
    if settings.tor_socks is not None:
        yield _tor_socks(settings.tor_socks)
        return
    try:
        binary = find_binary(settings.tor_binary)
    except TorFailed as error:
        named = settings.tor_binary is not None
        yield Check("Tor", Health.PROBLEM if named else Health.OK, str(error))
        return
    version = _version_of(binary)
    if version is None:
        yield Check("Tor", Health.WARNING, f"{binary} does not tell its version")
        return
    yield Check("Tor", Health.OK, f"{version} ({binary})")
    if any(path.is_file() for path in _tables_of_countries(binary)):
        yield Check("Tor countries", Health.OK, "installed")
    else:
        hint = "not installed: apt install tor-geoipdb, for tor='de'"
        yield Check("Tor countries", Health.OK, hint)


def _tor_socks(address: str) -> Check:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _PATIENCE_SECONDS):
            return Check("Tor", Health.OK, f"a daemon listens at {address} (tor_socks)")
    except OSError as error:
        said = f"tor_socks is {address}, and nothing can be reached there: {error.strerror}"
        return Check("Tor", Health.PROBLEM, said)


def _tables_of_countries(binary: Path) -> Iterator[Path]:
    """Where Tor looks for them: beside its program, wherever that was installed."""
    for path in (binary, binary.resolve()):
        yield path.parent.parent / "share" / "tor" / "geoip"


def chromium_check(settings: Settings) -> Check:
    """That none is installed is no problem for who uses none; one that cannot be used is."""
    try:
        path = asyncio.run(program.checked(settings.chromium))
        version = program.version_of(path)
    except SwatherError as error:
        is_missing = str(error) == program.MISSING
        return Check("Chromium", Health.OK if is_missing else Health.PROBLEM, str(error))
    if version is None:
        return Check("Chromium", Health.WARNING, f"{path} does not tell its version")
    hint = "" if settings.chromium or program.is_shell(path) else f"; {_CHEAPER}"
    return Check("Chromium", Health.OK, f"{version} ({path}){hint}")


def _version_of(program: Path) -> str | None:
    try:
        said = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_PATIENCE_SECONDS,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(said)
    return found[0] if found else None
