"""Amounts as people write them on a command line: '90s', '2h', '30d'; '5', '1%'."""

import re
from typing import Final

import typer

from swather.model.duration import parse_duration

_SHARE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*")


def seconds_of(text: str, *, option: str) -> float:
    """A length of time in seconds, as an option was given it."""
    seconds = parse_duration(text)
    if not seconds:
        raise typer.BadParameter(
            f"expected a time such as 90s, 15m, 2h or 30d, got {text!r}", param_hint=f"'{option}'"
        )
    return seconds


class MaxFailed(str):
    """How many targets may fail: a number, or a share of all."""

    __slots__ = ()

    def allows(self, failed: int, total: int) -> bool:
        match = _SHARE.fullmatch(self)
        assert match is not None
        most = float(match[1])
        return failed <= (most / 100 * total if match[2] else most)


def max_failed_of(text: str) -> MaxFailed:
    match = _SHARE.fullmatch(text)
    if match is None or (match[2] and float(match[1]) > 100) or (not match[2] and "." in match[1]):
        raise typer.BadParameter(
            f"expected a number or a share such as 1%, got {text!r}", param_hint="'--max-failed'"
        )
    return MaxFailed(text.strip())


def percent_of(text: str, *, option: str) -> float:
    """A share in percent, such as 5%; the sign may be left out."""
    match = _SHARE.fullmatch(text)
    if match is None:
        raise typer.BadParameter(
            f"expected a share such as 5%, got {text!r}", param_hint=f"'{option}'"
        )
    return float(match[1])
