"""Onion addresses: names that only Tor can reach."""

import re
from typing import Final

from swather.net.egress import Egress
from swather.net.errors import NeedsTor, Refused, UnusableURL
from swather.net.request import Origin

# The letters hold a key, its checksum and a version; names before it are the service's own.
_ONION: Final = re.compile(r"(?:.+\.)?[a-z2-7]{56}\.onion")


def is_onion(host: str) -> bool:
    return host.endswith(".onion")


def check_onion(origin: Origin, egress: Egress) -> None:
    """Refuse an onion address that does not go through Tor: whoever looked it up would tell others
    which service we want (RFC 7686).
    """
    if not egress.is_tor:
        raise NeedsTor(
            f"{origin.url} is an onion address, which only Tor can reach: give the scraper tor=True"
        )
    if _ONION.fullmatch(origin.host) is None:
        raise UnusableURL(
            f"{origin.url} is not an onion address: those have 56 letters and digits before .onion"
        )


def refused_by_tor(origin: Origin) -> Refused:
    return Refused(
        f"{origin.url} is not on the public web, which is all that Tor reaches; "
        "use a scraper without tor for a network of your own"
    )
