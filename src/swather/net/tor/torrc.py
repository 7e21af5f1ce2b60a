"""The configuration of a worker's own daemon."""

import os
from pathlib import Path
from typing import Final, NamedTuple

# A daemon that needs no countries starts in a tenth of the time without them, and is a quarter
# as large.
_NO_COUNTRIES: Final = ("GeoIPFile /dev/null", "GeoIPv6File /dev/null")


class Files(NamedTuple):
    """What a daemon has in its folder."""

    folder: Path

    @property
    def torrc(self) -> Path:
        return self.folder / "torrc"

    @property
    def defaults(self) -> Path:
        """Empty, in place of the system's, which are for its own daemon."""
        return self.folder / "defaults"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def cookie(self) -> Path:
        return self.folder / "cookie"

    @property
    def control_port(self) -> Path:
        return self.folder / "control-port"


def torrc(files: Files, country: str) -> str:
    """Ports are the daemon's choice, so that two never want the same one. It ends with this
    process: within 15 s by itself, and at once when we hold its control port.
    """
    # A country is two letters; a path may have a space.
    exits = (
        (f"ExitNodes {{{country}}}", "StrictNodes 1", "GeoIPv6File /dev/null")
        if country
        else _NO_COUNTRIES
    )
    lines = (
        f"DataDirectory {_quoted(files.data)}",
        # A circuit for each SOCKS user, which keeps it for as long as it is used.
        "SocksPort 127.0.0.1:auto IsolateSOCKSAuth KeepAliveIsolateSOCKSAuth",
        "ControlPort 127.0.0.1:auto",
        f"ControlPortWriteToFile {_quoted(files.control_port)}",
        "CookieAuthentication 1",
        f"CookieAuthFile {_quoted(files.cookie)}",
        f"__OwningControllerProcess {os.getpid()}",
        "ClientOnly 1",
        "AvoidDiskWrites 1",
        "Log notice stdout",
        *exits,
    )
    return "\n".join(lines) + "\n"


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
