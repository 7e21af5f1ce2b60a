"""What is wrong with how a value is said to be read: its currency, its country, its format."""

from datetime import datetime
from difflib import get_close_matches
from typing import Final

from swather.model.countries import no_country
from swather.scraping.prices.currencies import CODES
from swather.scraping.site.calling_codes import CALLING_CODES
from swather.scraping.site.problems import instead_of, shown

# Any day whose year, month and day differ.
_A_DAY: Final = datetime(2026, 11, 18, 10, 30)  # noqa: DTZ001 - as texts on pages, without a zone


def wrong_currency(code: str) -> str:
    if code in CODES:
        return ""
    near = get_close_matches(code, sorted(CODES), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no currency {shown(code)}; expected an ISO code such as 'EUR'{hint}"


def wrong_country(code: str, kind: str) -> str:
    """`kind` is what is read: a price, or a phone number."""
    lower = code.lower()
    if kind == "phone":
        if lower in CALLING_CODES:
            return ""
        return f"there is no calling code of {shown(code)}; {instead_of(lower, CALLING_CODES)}"
    why = no_country(lower.partition("-")[0])
    return f"{why}; expected a code of two letters such as 'nl', or 'ca-qc'" if why else ""


def wrong_format(text: str) -> str:
    """Python reads some formats that give the same date for every text: without a year, or without
    a day of it.
    """
    try:
        read = datetime.strptime(_A_DAY.strftime(text), text)  # noqa: DTZ007 - without a zone
    except ValueError as error:
        return f"{shown(text)} is no format of a date: {error}; expected one such as '%d.%m.%Y'"
    if read.year != _A_DAY.year:
        return f"{shown(text)} has no year; expected one such as '%d.%m.%Y'"
    return ""
