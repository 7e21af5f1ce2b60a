"""A book on the shelves of the demo's shop."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

_FIRST_DAY: Final = date(2026, 1, 1)
_DAYS: Final = 300


@dataclass(frozen=True, kw_only=True)
class Book:
    """`seconds`: how long its page takes."""

    number: int
    title: str
    category: str
    price: str
    rating: str
    stock: int
    seconds: float

    @property
    def path(self) -> str:
        slug = "-".join(self.title.lower().split())
        return f"/catalogue/{slug}_{self.number}/index.html"

    @property
    def cover(self) -> str:
        return f"/media/covers/{self.number}.svg"

    @property
    def etag(self) -> str:
        return f'"{self.number}-{self.stock}"'

    @property
    def changed_on(self) -> date:
        """The same day for the same number, so that the shop's random numbers stay the same."""
        return _FIRST_DAY + timedelta(days=self.number * 7 % _DAYS)
