"""The cities of the United States with at least 2,833 people, the largest first; see NOTICE.md."""

import gzip
from collections.abc import Collection, Iterator
from importlib.resources import files
from typing import Final, NamedTuple

_FILE: Final = files("swather.builtin.listings") / "us_cities.tsv.gz"
# The least population of each priority, from 10 down to 2.
_STEPS: Final = (1_000_000, 500_000, 250_000, 100_000, 50_000, 25_000, 15_000, 8_000, 5_000)


class City(NamedTuple):
    """A city of a state, by its code."""

    state: str
    name: str
    population: int

    @property
    def priority(self) -> int:
        """1 to 10: the more people, the higher."""
        return 10 - next(
            (number for number, least in enumerate(_STEPS) if self.population >= least), len(_STEPS)
        )


def cities(states: Collection[str]) -> Iterator[City]:
    """Those of some states, read line by line."""
    with _FILE.open("rb") as packed, gzip.open(packed, "rt", encoding="utf-8") as lines:
        for line in lines:
            state, name, population = line.rstrip("\n").split("\t")
            if state in states:
                yield City(state, name, int(population))
