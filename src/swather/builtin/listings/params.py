"""What can be asked of a directory: which cities, and which categories in each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from swather.builtin.listings.categories import CATEGORIES
from swather.builtin.listings.us_states import states_named

_MAX_CATEGORIES: Final = 1_000
_MAX_CHARACTERS: Final = 100


@dataclass(frozen=True, kw_only=True)
class Params:
    """Lists may have commas: 'CA,TX'."""

    states: Annotated[
        tuple[str, ...], "Search the cities of these states: all, or codes such as CA,TX."
    ] = ()
    categories: Annotated[
        tuple[str, ...],
        "Search for this, such as plumbers; without it, for thirty categories.",
    ] = ()
    min_population: Annotated[int, "Only cities with at least N people."] = 0

    def __post_init__(self) -> None:
        states_named(self.states)
        named = self.named_categories
        if len(named) > _MAX_CATEGORIES or any(len(name) > _MAX_CHARACTERS for name in named):
            raise ValueError(
                f"'categories': expected at most {_MAX_CATEGORIES:,} of up to {_MAX_CHARACTERS} "
                "characters; put longer lists into a file of targets"
            )
        if self.min_population < 0:
            raise ValueError(f"'min_population': expected 0 or more, got {self.min_population}")

    @property
    def named_states(self) -> frozenset[str]:
        return states_named(self.states)

    @property
    def named_categories(self) -> tuple[str, ...]:
        named = tuple(dict.fromkeys(_listed(self.categories)))
        return named or CATEGORIES


def _listed(texts: Iterable[str]) -> list[str]:
    return [" ".join(part.split()) for text in texts for part in text.split(",") if part.strip()]
