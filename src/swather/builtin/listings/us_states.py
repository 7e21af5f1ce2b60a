"""The fifty states and the District of Columbia."""

from collections.abc import Iterable
from typing import Final

STATES: Final = (
    "AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID", "IL", "IN",
    "KS", "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO", "MS", "MT", "NC", "ND", "NE", "NH", "NJ",
    "NM", "NV", "NY", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA",
    "WI", "WV", "WY",
)  # fmt: skip
ALL: Final = "all"


def states_named(names: Iterable[str]) -> frozenset[str]:
    """Those that are named, 'all' of them if that is; ValueError for one that does not exist."""
    wanted = {name.strip().upper() for text in names for name in text.split(",") if name.strip()}
    if ALL.upper() in wanted:
        return frozenset(STATES)
    for name in sorted(wanted - frozenset(STATES)):
        raise ValueError(f"'states': expected 'all' or codes such as CA,TX, got {name!r}")
    return frozenset(wanted)
