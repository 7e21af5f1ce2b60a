"""Businesses of the stand-in directory: the same ones for the same seed, made when asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

_FIRST: Final = ("Ace", "Blue Sky", "Quality", "Sunrise", "Joe's", "Smith & Sons", "The Corner",
                 "A.B.C.", "Liberty", "Café Olé")  # fmt: skip
_STREETS: Final = ("Main Street", "Oak Avenue", "North Park Road", "Fifth Avenue", "Elm Drive",
                   "Lake Boulevard", "2nd Street")  # fmt: skip
_SHORT: Final = {"Street": "St.", "Avenue": "Ave", "Road": "Rd.", "Drive": "Dr",
                 "Boulevard": "Blvd", "North": "N", "Suite ": "#"}  # fmt: skip
_SHARE_EMPTY: Final = 0.12
_MOST_OWN: Final = 24


@dataclass(frozen=True, kw_only=True)
class Business:
    """A business as the directory knows it. `is_closed` and `is_advert` ones should be rejected:
    the first are closed for good, the others have neither phone nor address.
    """

    id: int
    name: str
    phone: str
    street: str
    city: str
    state: str
    zip: str
    category: str
    is_closed: bool = False
    is_advert: bool = False

    @property
    def is_good(self) -> bool:
        return not (self.is_closed or self.is_advert)

    @property
    def locality(self) -> str:
        return f"{self.city}, {self.state} {self.zip}"

    def written(self, style: int) -> "Business":
        """The same business, as another page may write it."""
        phone, name, street = self.phone, self.name, self.street
        if phone:
            area, exchange, line = phone[:3], phone[3:6], phone[6:]
            phone = (
                f"({area}) {exchange}-{line}", f"{area}-{exchange}-{line}",
                f"+1 {area}.{exchange}.{line}", f"{area}-{exchange}-{line} ext. 2",
            )[style % 4]  # fmt: skip
        if style % 2:
            name = name.upper()
            for long, short in _SHORT.items():
                street = street.replace(long, short)
        return Business(
            id=self.id, name=name, phone=phone, street=street, city=self.city, state=self.state,
            zip=self.zip, category=self.category, is_closed=self.is_closed,
            is_advert=self.is_advert,
        )  # fmt: skip


def results(seed: int, state: str, city: str, category: str) -> list[Business]:
    """What a search finds, in order. Some are found in all categories of a city, one in all cities
    of its state, and one stands on every page; an advert comes without phone and address.
    """
    random = Random(f"{seed}/{state}/{city}/{category}")
    if random.random() < _SHARE_EMPTY:
        return []
    own = [
        _business(random, state, city, category, number)
        for number in range(random.randint(1, _MOST_OWN))
    ]
    of_city = [
        _business(Random(f"{seed}/{state}/{city}/{number}"), state, city, "general", number)
        for number in range(2)
    ]
    of_state = _business(Random(f"{seed}/{state}"), state, city, "statewide", 0, has_phone=True)
    found = [*own, *of_city, of_state]
    if random.random() < 0.3:
        found.append(_advert(random, state, city, category))
    random.shuffle(found)
    return found


def _business(
    random: Random, state: str, city: str, category: str, number: int, *, has_phone: bool = False
) -> Business:
    word = category.split(maxsplit=1)[0].capitalize()
    return Business(
        id=random.getrandbits(48),
        name=f"{random.choice(_FIRST)} {word} {number + 1}",
        phone=_phone(random) if has_phone or random.random() < 0.7 else "",
        street=f"{random.randint(1, 9_999)} {random.choice(_STREETS)}"
        + (f", Suite {random.randint(1, 99)}" if random.random() < 0.3 else ""),
        city=city,
        state=state,
        zip=f"{random.randint(10_000, 99_999)}",
        category=category,
        is_closed=not has_phone and random.random() < 0.1,
    )


def _advert(random: Random, state: str, city: str, category: str) -> Business:
    return Business(
        id=random.getrandbits(48), name=f"Best {category} near you", phone="", street="",
        city=city, state=state, zip="", category=category, is_advert=True,
    )  # fmt: skip


def _phone(random: Random) -> str:
    return "".join(str(random.randint(2 if place in (0, 3) else 0, 9)) for place in range(10))


def on_pages(found: list[Business], per_page: int) -> Iterator[list[Business]]:
    """The results, page by page; the first of all comes once more on each further page, at its
    end.
    """
    for at in range(0, len(found), per_page):
        page = found[at : at + per_page]
        yield page if at == 0 else [*page, found[0]]
