import pytest

from swather.model.whole_number import whole_number


@pytest.mark.parametrize(("text", "number"), [("0", 0), (" 12 ", 12), ("9" * 18, 10**18 - 1)])
def test_decimal_digits_are_a_whole_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "1.0", "1_000", "٣", "²", "9" * 19, "9" * 5_000])
def test_nothing_else_is_one(text: str) -> None:
    assert whole_number(text) is None
