"""Paths in JSON-LD, such as 'Product.offers.price'."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from swather.scraping.site.match import Match
from swather.scraping.site.price_specifications import asked

MAX_VALUES: Final = 200_000
_PRICES: Final = ("price", "lowPrice", "highPrice", "minPrice", "maxPrice")
# Of several offers or variants: this is the least price, and that the greatest.
_LEAST: Final = {"lowPrice": "highPrice", "minPrice": "maxPrice"}

Object = dict[str, Any]
# Gives the object that a reference such as {"@id": "#offer"} stands for, and any other value as is.
Resolve = Callable[[Any], Any]


class LdPath:
    """A path: a type, if its first step begins with a capital letter, then names of properties."""

    def __init__(self, text: str) -> None:
        self.text = text
        steps = text.split(".")
        if not all(steps) or len(steps) > 20:
            raise ValueError(f"expected names with a dot between them, got {text!r}")
        self.type = steps.pop(0) if steps[0][:1].isupper() else ""
        self.steps = steps

    def values(self, starts: Iterable[Any], resolve: Resolve) -> Iterator[Match]:
        """All texts, numbers and flags that it leads to, in order."""
        for start in starts:
            found: list[tuple[Object, Any]] = [({}, start)]
            for step in self.steps:
                found = [
                    pair for _, each in found for pair in _below(resolve(each), step, resolve)
                ][:MAX_VALUES]
            for owner, value in found:
                for each in value if isinstance(value, list) else [value]:
                    scalar = _scalar(resolve(each))
                    if scalar is not None:
                        yield self._match(scalar, owner)

    def _match(self, value: Any, owner: Object) -> Match:
        last = self.steps[-1] if self.steps else ""
        if last not in _PRICES:
            return Match(value, is_data=True)
        greatest = owner.get(_LEAST.get(last, last))
        return Match(
            value,
            is_data=True,
            currency=str(owner.get("priceCurrency") or ""),
            is_from=last in _LEAST and (greatest is None or str(greatest) != str(value)),
        )


def _below(value: Any, step: str, resolve: Resolve) -> Iterator[tuple[Object, Any]]:
    """What a property has, with the object that has it."""
    if isinstance(value, list) and step.isdecimal():
        yield from (({}, each) for each in value[int(step[:6]) :][:1])
        return
    for each in value if isinstance(value, list) else [value]:
        owner = resolve(each)
        if isinstance(owner, dict) and step in owner:
            yield owner, asked(owner[step]) if step == "priceSpecification" else owner[step]


def _scalar(value: Any) -> Any:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, dict):
        if isinstance(value.get("@value"), str | int | float):
            return value["@value"]
        if isinstance(value.get("name"), str):
            # {"@type": "Brand", "name": "Acme"} stands for its name.
            return value["name"]
    return None
