"""A reason: something that holds a run or a task back, for people and for programs."""

from collections.abc import Iterator
from typing import Any

import msgspec


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """`code` and `values` are for programs, `text` is for people and may have several lines.

    brief    the same in a few words, for a live view
    stops    nothing moves there until it is over; else it only sets the pace, or explains
    command  what changes it, and `change` what that command does: 'To resume it'
    mentions other commands, which stand in the text
    """

    code: str
    text: str
    brief: str = ""
    stops: bool = False
    change: str = ""
    command: str = ""
    mentions: tuple[str, ...] = ()
    values: dict[str, Any] = {}

    @property
    def in_brief(self) -> str:
        return self.brief or self.text

    @property
    def sentence(self) -> str:
        """All of it in a line."""
        return " ".join(line.strip() for line in self.lines())

    def as_data(self) -> dict[str, Any]:
        """For programs."""
        return {
            "code": self.code,
            "text": self.text.replace("\n", " "),
            "brief": self.in_brief.replace("\n", " "),
            "stops": self.stops,
            "change": self.change or None,
            "command": self.command or None,
            "mentions": list(self.mentions),
            "values": self.values,
        }

    def lines(self) -> Iterator[str]:
        """The command on a line of its own, to be copied whole."""
        *more, last = self.text.split("\n")
        yield from more
        if not self.command:
            yield last
            return
        yield f"{last} {self.change}:"
        yield f"    {self.command}"
