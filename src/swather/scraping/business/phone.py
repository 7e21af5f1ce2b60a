"""A phone number of any country in its international form, or the reason why it is none."""

import re
import unicodedata
from typing import Final, NamedTuple

from swather.scraping.business.key import EXTENSION, phone_key

_MOST_DIGITS: Final = 15
_FEWEST_DIGITS: Final = 6
_DASHES: Final = dict.fromkeys(range(0x2010, 0x2016), "-")
_NUMBER: Final = re.compile(r"[+\d][\d\s().\-/]{5,40}")
# "1-800-FLOWERS": the letters of a keypad, in capitals.
_LETTERED: Final = re.compile(
    r"(?<![\w+])(?:1[-. ]?)?\(?[2-9]\d\d\)?[-. ]?[\dA-Z][\dA-Z-]{6,8}(?!\w)"
)
# "212 555 0147 / 0148" are two numbers; "030/1234567" is one with its area code.
_TWO: Final = re.compile(r"(?:\d[\s().-]*){6,}/\s*\d")
_DATE: Final = re.compile(r"(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./](?:19|20)\d\d")
_TRUNK: Final = re.compile(r"\(0\)")


class NotAPhone(ValueError):
    """A text is no phone number."""


class Plan(NamedTuple):
    """How a country dials: what is left out from abroad, and how many digits there are then."""

    trunk: str
    fewest: int
    most: int


_PLANS: Final = """
0 8 9 ae ie il hr th tw sa rs be | 0 10 11 ar in | 0 7 13 at de | 0 9 10 au gb jp pk vn
0 7 9 bg se | 0 9 9 ch fr ke ma nl ro sk ua za | 0 9 11 cn | 0 8 10 eg kr my ng nz ph
0 8 12 id | 0 6 12 fi | 0 10 10 tr | 0 8 8 si | 0 10 11 br | 06 8 9 hu | 8 10 10 ru | 8 8 8 lt
01 10 10 mx | 0 8 9 pe | - 9 9 cl cz es pl pt | - 10 10 co gr | - 8 8 dk hk lv no sg
- 7 8 ee | - 7 9 is | - 5 11 lu | - 6 11 it
"""


def _plans() -> dict[str, Plan]:
    plans = {}
    for row in _PLANS.replace("\n", "|").split("|"):
        if row.strip():
            trunk, fewest, most, *countries = row.split()
            plan = Plan(trunk.strip("-"), int(fewest), int(most))
            plans.update(dict.fromkeys(countries, plan))
    return plans


PLANS: Final = _plans()


def phone_number(text: str, country: str = "", code: str = "") -> str:
    """The first phone number in a text: '+12125550147', or its digits alone without a `country`.

    `code` is the calling code of the country. NotAPhone if it has too few digits for a number of
    that country, as one without its area code has, or too many.
    """
    text = EXTENSION.sub("", unicodedata.normalize("NFKC", text).translate(_DASHES).strip())
    text = text.removeprefix("tel:")
    if code == "1" and (number := _american(text)):
        return number
    found = _NUMBER.search(text)
    if found is None or _DATE.fullmatch(found[0].strip()):
        raise NotAPhone("there is no phone number in it")
    written = found[0]
    if _TWO.search(written):
        raise NotAPhone("it has several phone numbers, or a part of one")
    is_abroad = written.startswith(("+", "00"))
    # The 0 of Italy is part of the number.
    written = _TRUNK.sub("0" if re.match(r"(?:\+|00)\s*39", written) else "", written)
    digits = re.sub(r"\D", "", written)
    if not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS:
        raise NotAPhone("there is no phone number in it")
    if is_abroad:
        return _from_abroad(digits if written.startswith("+") else digits[2:])
    if not code:
        return digits
    if code == "1":
        raise NotAPhone("it is no number of ten digits with its area code")
    return f"+{code}{_national(digits, code, PLANS[country])}"


def _american(text: str) -> str:
    """Of the whole text, or of what in it looks like a number."""
    lettered = _LETTERED.search(text)
    found = _NUMBER.search(text)
    return (
        phone_key(text)
        or (phone_key(found[0]) if found else "")
        or (phone_key(lettered[0]) if lettered else "")
    )


def _from_abroad(digits: str) -> str:
    if digits.startswith("1") and not phone_key(digits):
        raise NotAPhone("it is no number of ten digits with its area code")
    if digits.startswith("0") or len(digits) < _FEWEST_DIGITS + 1:
        raise NotAPhone("there is no phone number in it")
    return f"+{digits}"


def _national(digits: str, code: str, plan: Plan) -> str:
    """Its digits from abroad: without the 0 before it, or the calling code if that is there."""
    if plan.trunk and digits.startswith(plan.trunk):
        rest = digits.removeprefix(plan.trunk)
        if plan.fewest <= len(rest) <= plan.most:
            return rest
    whole = [digits] if plan.trunk != "0" or digits[0] != "0" else []
    coded = [digits.removeprefix(code)] if digits.startswith(code) else []
    fitting = [one for one in whole + coded if plan.fewest <= len(one) <= plan.most]
    if len(fitting) != 1:
        why = "may begin with the calling code" if fitting else "is not as long as its country's"
        raise NotAPhone(f"{digits!r} {why}")
    return fitting[0]
