"""What `swather doctor` checks of the ways out: proxies, Tor, browsers."""

import asyncio
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swather.cli import database
from swather.cli.doctor_health import Check, Health
from swather.cli.proxy_options import MAX_PROXIES
from swather.errors import SwatherError
from swather.store import factory

if TYPE_CHECKING:
    from swather.settings import Settings

_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
_PATIENCE_SECONDS: Final = 10.0


def egress_checks(db: str | None, settings: "Settings") -> Iterator[Check]:
    yield from _proxies(db)
    yield from _tor(settings)
    yield _chromium(settings)


def _proxies(db: str | None) -> Iterator[Check]:
    """Nothing, if there is no database that could be asked; that is said elsewhere."""
    from swather.model.proxy import ProxyState

    path = factory.sqlite_path(db or factory.DEFAULT_URL)
    if path is not None and not path.exists():
        return
    try:
        with database.opened(db) as store:
            states = [row.state for row in store.proxies.find(limit=MAX_PROXIES)]
    except SwatherError:
        return
    if not states:
        hint = database.with_db("swather proxies import FILE", db)
        yield Check("proxies", Health.OK, f"none; to import a list: {hint}")
        return
    usable = states.count(ProxyState.USABLE)
    health = Health.OK if usable else Health.WARNING
    yield Check("proxies", health, f"{usable:,} of {len(states):,} usable")


def _tor(settings: "Settings") -> Iterator[Check]:
    from swather.net.tor.process import TorFailed, find_binary

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
    for program in (binary, binary.resolve()):
        yield program.parent.parent / "share" / "tor" / "geoip"


def _chromium(settings: "Settings") -> Check:
    """That none is installed is no problem for who uses none; one that cannot be used is."""
    from swather.net.browser import program

    try:
        path = asyncio.run(program.checked(settings.chromium))
        version = program.version_of(path)
    except SwatherError as error:
        is_missing = str(error) == program.MISSING
        return Check("Chromium", Health.OK if is_missing else Health.PROBLEM, str(error))
    if version is None:
        return Check("Chromium", Health.WARNING, f"{path} does not tell its version")
    return Check("Chromium", Health.OK, f"{version} ({path})")


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
