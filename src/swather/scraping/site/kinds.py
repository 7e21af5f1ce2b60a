"""What a text can be read as: a number, a price, a date, a URL, a phone number, a business."""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple

from swather.net.page import join
from swather.scraping.business.phone import NotAPhone, phone_number
from swather.scraping.site.calling_codes import CALLING_CODES

MAX_NUMBER_CHARACTERS: Final = 1_000
_SPACES: Final = re.compile(r"\s+")
_NUMBER: Final = {
    ".": re.compile(r"[+-]?(?:\d{1,3}(?:[,'\u2019 ](?:\d{2,3}))+|\d+)(?:\.\d+)?|[+-]?\.\d+"),
    ",": re.compile(r"[+-]?(?:\d{1,3}(?:[.'\u2019 ](?:\d{2,3}))+|\d+)(?:,\d+)?|[+-]?,\d+"),
}
# Thousands, or India's lakhs; the last group has three digits.
_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:\D\d{2,3})*\D\d{3}|[+-]?\d*")
# Behind or before a number these belong to it, and make another one of it: 3½, 1e5, 10k, 1.2.3.
_RAISED: Final = re.compile(
    r"\d[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u218f\u2460-\u24ff]"
)
_MORE: Final = re.compile(
    r"\d|[.,]\d|\u2044|e[+-]?\d|-\d+-\d|(?:[km]|bn?)(?!\w)| ?(?-i:[KM])(?!\w)|"
    r" ?(?:mio|mln|mn|million\w*|milli[oa]\w+|billion\w*|thousand|tsd|lakhs?|crores?|тыс|млн|"
    r"mil)\b| ?[万萬億亿만억千천]",
    re.IGNORECASE,
)


class NotThisKind(ValueError):
    """A text is not what a field says that it is."""


class Reading(NamedTuple):
    """How the texts of one way are read."""

    base: str = ""
    format: str | None = None
    decimal: str = "."
    currency: str | None = None
    country: str | None = None


def clean(text: str) -> str:
    """A text with single spaces."""
    return _SPACES.sub(" ", text).strip()


def number_of(text: str, how: Reading) -> int | float:
    """The first number in a text, if what touches it does not make another one of it."""
    text = text[:MAX_NUMBER_CHARACTERS].replace("\u066b", how.decimal)
    text = text.replace("\u066c", "'")
    if _RAISED.search(text):
        raise NotThisKind("a fraction or a raised digit touches a number")
    text = _plain(text)
    found = _NUMBER[how.decimal].search(text)
    if found is None:
        raise NotThisKind("there is no number in it")
    if _MORE.match(text, found.end()) or text[found.start() - 1 : found.start()].isalpha():
        raise NotThisKind(f"what touches {found[0]!r} may be a part of it")
    whole, _, decimals = found[0].partition(how.decimal)
    if _GROUPED.fullmatch(whole) is None:
        raise NotThisKind(f"{found[0]!r} is not a number with {how.decimal!r} before its decimals")
    digits = re.sub(r"[^\d+-]", "", whole)
    return float(f"{digits}.{decimals}") if decimals else int(digits)


def price_of(text: str, how: Reading) -> Any:
    """The price in a text: its amount, its currency, and the text itself."""
    from swather.scraping.prices import NotAPrice, parse_price  # noqa: PLC0415

    try:
        return parse_price(text, currency=how.currency, country=how.country)
    except NotAPrice as error:
        raise NotThisKind(str(error)) from error


def date_of(text: str, how: Reading) -> str:
    """A date, or a date and time, in ISO 8601."""
    text = clean(text)
    try:
        if how.format is not None:
            return _iso(datetime.strptime(text, how.format))  # noqa: DTZ007 - as the site writes it
        try:
            return _iso(datetime.fromisoformat(text)) if len(text) > 10 else _day(text)
        except ValueError:
            return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise NotThisKind(f"it is not a date: {error}") from error


def _day(text: str) -> str:
    return date.fromisoformat(text).isoformat()


def _iso(moment: datetime) -> str:
    has_time = moment.hour or moment.minute or moment.second or moment.tzinfo
    return moment.isoformat() if has_time else moment.date().isoformat()


def url_of(text: str, how: Reading) -> str:
    """An absolute address."""
    found = join(how.base, text.strip()) if text.strip() else ""
    if not found:
        raise NotThisKind("it is not the address of a web page")
    return found


def phone_of(text: str, how: Reading) -> str:
    """A phone number: digits, after a '+' if its country is known."""
    country = (how.country or "").lower()
    try:
        return phone_number(
            _plain(text)[:MAX_NUMBER_CHARACTERS], country, CALLING_CODES.get(country, "")
        )
    except NotAPhone as error:
        raise NotThisKind(str(error)) from error


def _plain(text: str) -> str:
    """Digits and spaces of any script as plain ones."""
    return unicodedata.normalize("NFKC", text).translate(_DIGITS) if not text.isascii() else text


class _Digits(dict[int, str]):
    def __missing__(self, code: int) -> str:
        character = chr(code)
        value = unicodedata.decimal(character, None)
        return character if value is None else str(value)


_DIGITS: Final = _Digits({0x2212: "-", 0x202F: " ", 0xA0: " "})

KINDS: Final[dict[str, Callable[[str, Reading], Any]]] = {
    "text": lambda text, _: clean(text),
    "raw": lambda text, _: text,
    "number": number_of,
    "price": price_of,
    "date": date_of,
    "url": url_of,
    "phone": phone_of,
    # These are kept as they are written; two spellings of one are the same in a `key`.
    "company": lambda text, _: clean(text),
    "address": lambda text, _: clean(text),
}
