"""Which of several price specifications of schema.org has the price that is asked."""

from typing import Any, Final

from swather.scraping.site.kinds import NotThisKind
from swather.scraping.site.schema_types import is_of_type

# Of the price before, the one that a maker suggests, or the least that may be advertised.
_NOT_ASKED: Final = (
    "ListPrice", "MSRP", "MinimumAdvertisedPrice", "RegularPrice", "SRP", "StrikethroughPrice",
    "SuggestedRetailPrice",
)  # fmt: skip
# What only the price of a unit has, such as of 100 g.
_OF_A_UNIT: Final = ("referenceQuantity", "billingIncrement", "billingDuration", "unitText")


def asked(value: Any) -> Any:
    """The specification with the price that is asked, of one or of several. NotThisKind if they
    ask different prices.
    """
    given = [each for each in (value if isinstance(value, list) else [value]) if _is_asked(each)]
    whole = [each for each in given if not is_unit_price(each)]
    found = whole or given
    if len({str(each.get("price", each.get("minPrice"))) for each in found}) > 1:
        prices = ", ".join(str(each.get("price", each.get("minPrice")))[:20] for each in found[:5])
        raise NotThisKind(f"there are several price specifications, and any may be meant: {prices}")
    return found[0] if found else None


def is_unit_price(specification: dict[str, Any]) -> bool:
    types = specification.get("@type")
    names = types if isinstance(types, list) else [types]
    return any(
        isinstance(each, str) and is_of_type(each, "UnitPriceSpecification") for each in names
    )


def _is_asked(value: Any) -> bool:
    if not isinstance(value, dict) or any(value.get(name) for name in _OF_A_UNIT):
        return False
    kind = value.get("priceType")
    return not (isinstance(kind, str) and any(is_of_type(kind, each) for each in _NOT_ASKED))
