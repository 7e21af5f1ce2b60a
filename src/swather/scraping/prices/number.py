"""A number as people write it, with the marks of its country."""

import re
from decimal import Decimal
from typing import Final

from swather.errors import NotAPrice

MOST_DIGITS: Final = 15
_MOST_DECIMALS: Final = 6
_SURE_GROUPS: Final = " \u00a0'٬"
_SURE_MARKS: Final = "٫·"
_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
NUMBER: Final = (
    r"(?<![\w.,])[.,]\d{2}(?!\d)"
    r"|\d+(?:[.,'·٫٬]\d+|[ \u00a0]\d{3}(?!\d))*(?:[⁰¹²³⁴-⁹]{2}(?![⁰¹²³⁴-⁹]))?"
)


def read_number(written: str, mark: str | None, *, decimals: int | None = None) -> Decimal:
    """The value; `mark` is the decimal mark that is expected, None if it may be either.

    `decimals` are as many as the currency has, None if there may be more: three of them, as in
    1.234, nearly always mean that a page does not use the mark of its country. NotAPrice for
    anything that can be read in two ways.
    """
    if sum(map(str.isdigit, written)) > MOST_DIGITS:
        raise NotAPrice(f"a number of more than {MOST_DIGITS} digits")
    raised = written[-2:].translate(_SUPERSCRIPT)
    if raised != written[-2:]:
        return read_number(f"{_whole(written[:-2], mark)}.{raised}", ".")
    if written[0] in ".,":
        return Decimal("0." + written[1:])
    digits = re.findall(r"\d+", written)
    marks = re.findall(r"\D", written)
    if not marks:
        return Decimal(_unpadded(written, written))
    if marks[-1] in _SURE_MARKS or _is_fraction(written, digits, marks, mark, decimals):
        whole = _grouped(written, digits[:-1], marks[:-1], apart_from=marks[-1])
        return Decimal(f"{whole}.{digits[-1]}")
    return Decimal(_grouped(written, digits, marks))


def read_data(written: str, mark: str | None, *, decimals: int | None = None) -> Decimal:
    """The value in data for machines, whose decimal mark is '.'; `mark` is that of the country.

    Data that people have written for their own country is refused where it looks the same.
    """
    if re.fullmatch(r"\d+\.\d{4,}", written) and written.index(".") <= MOST_DIGITS:
        return min(Decimal(written), round(Decimal(written), _MOST_DECIMALS), key=_length)
    if mark != "." and re.fullmatch(r"\d+,\d{3}", written):
        raise NotAPrice(f"{written!r} can be read in two ways: ',' may group digits or be a mark")
    return read_number(written, ".", decimals=decimals)


def _length(value: Decimal) -> int:
    return len(str(value))


def _whole(written: str, mark: str | None) -> str:
    value = read_number(written, mark)
    if value != value.to_integral_value():
        raise NotAPrice(f"{written!r} has decimals, and raised ones behind them")
    return str(value)


def _is_fraction(
    written: str, digits: list[str], marks: list[str], mark: str | None, decimals: int | None
) -> bool:
    """Whether the last mark is the decimal mark."""
    last, length = marks[-1], len(digits[-1])
    if last in _SURE_GROUPS or last in marks[:-1]:
        return False
    if length > 6:
        raise NotAPrice(f"{written!r} has {length} digits behind the last mark")
    if length < 3 or digits[0] == "0":
        return True
    if length == 3 and (set(marks) == {".", ","} or (len(digits[0]) > 3 and len(digits) == 2)):
        return True
    may_group = length == 3 and len(marks) == 1
    too_fine = length == 3 and decimals is not None and decimals < 3
    if mark is None or (last == mark and too_fine) or (last != mark and not may_group):
        raise NotAPrice(
            f"{written!r} can be read in two ways: {last!r} may group digits or be the decimal "
            "mark; name the country"
        )
    return last == mark


def _grouped(written: str, digits: list[str], marks: list[str], *, apart_from: str = "") -> str:
    """The digits without the marks between them, which have to be in the right places."""
    first, *others = digits
    if not others:
        return _unpadded(first, written)
    lengths = [len(group) for group in others]
    by_thousands = len(first) <= 3 and set(lengths) == {3}
    by_lakhs = len(first) <= 2 and lengths[-1] == 3 and set(lengths[:-1]) == {2} and "," in marks
    same = len({" " if mark == "\u00a0" else mark for mark in marks}) == 1
    if not same or apart_from in marks or first[0] == "0" or not (by_thousands or by_lakhs):
        raise NotAPrice(f"{written!r} is not grouped as numbers are")
    return "".join(digits)


def _unpadded(digits: str, written: str) -> str:
    if len(digits) > 1 and digits[0] == "0":
        raise NotAPrice(f"{written!r} begins with 0, as codes and phone numbers do")
    return digits
