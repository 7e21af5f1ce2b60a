"""How far a Tor daemon is with connecting to the network."""

import re
from typing import Final, NamedTuple

_FIELD: Final = re.compile(r'([A-Z_]+)=(?:"((?:[^"\\]|\\.)*)"|(\S+))')


class Bootstrap(NamedTuple):
    """`summary` is what it does now; `warning` what keeps it from that."""

    percent: int = 0
    summary: str = ""
    warning: str = ""

    @property
    def is_done(self) -> bool:
        return self.percent >= 100

    def __str__(self) -> str:
        told = f"bootstrapped {self.percent} %"
        if self.summary:
            told += f" ({self.summary[:1].lower()}{self.summary[1:]})"
        return f"{told}: {self.warning}" if self.warning else told


def parse_bootstrap(phase: str) -> Bootstrap:
    """From 'NOTICE BOOTSTRAP PROGRESS=45 TAG=… SUMMARY="…"'."""
    fields = {name: text or word for name, text, word in _FIELD.findall(phase)}
    percent = fields.get("PROGRESS", "0")
    return Bootstrap(
        int(percent) if percent.isdecimal() else 0,
        fields.get("SUMMARY", ""),
        fields.get("WARNING", ""),
    )
