"""What a way finds on a page, before it is read."""

from typing import Any, NamedTuple


class Match(NamedTuple):
    """A text, or a number or flag of JSON; None where an element lacks the attribute.

    `is_data`: it is written for machines, and not for people. Of a price, `currency` is what stands
    beside it in the same offer, and `is_from` whether others cost more.
    """

    raw: Any
    is_data: bool = False
    currency: str = ""
    is_from: bool = False

    @property
    def text(self) -> str:
        if self.raw is None:
            return ""
        if isinstance(self.raw, bool):
            return "true" if self.raw else "false"
        return str(self.raw)
