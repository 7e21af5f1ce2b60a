"""What counts as a change of an item, and as which percentage."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.model.difference import differences, is_same, percentage, value_at

SAME = [
    ("the same text", "a", "a"),
    ("noise of floats", 0.1 + 0.2, 0.3),
    ("noise around zero", 0, 1e-17),
    ("a whole number and its float", 20, 20.0),
    ("decimals as text", "19.90", "19.9"),
    ("a whole decimal as text", "20", "20.00"),
    ("null and missing inside", {"a": None}, {}),
    ("noise in a list", [0.3, {"x": 1}], [0.1 + 0.2, {"x": 1.0}]),
]
OTHER = [
    ("a cent", 1000.00, 1000.01),
    ("large whole numbers", 10**30, 10**30 + 1),
    ("a code with another zero", "007", "7"),
    ("spaces", "a", "a "),
    ("a number and its text", 10, "10"),
    ("a boolean and a number", True, 1),
    ("null and nothing in it", None, ""),
    ("null and zero", None, 0),
    ("a list in another order", ["a", "b"], ["b", "a"]),
    ("a longer list", ["a"], ["a", "a"]),
    ("an object and a list", {}, []),
    ("beyond all floats", 10**400, 1.5),
]


@pytest.mark.parametrize(("before", "after"), [pytest.param(a, b, id=n) for n, a, b in SAME])
def test_values_that_are_the_same(before: Any, after: Any):
    assert is_same(before, after)
    assert is_same(after, before)


@pytest.mark.parametrize(("before", "after"), [pytest.param(a, b, id=n) for n, a, b in OTHER])
def test_values_that_are_not_the_same(before: Any, after: Any):
    assert not is_same(before, after)
    assert not is_same(after, before)


@pytest.mark.parametrize(
    ("before", "after", "percent"),
    [
        (10, 8.8, -12.0),
        (8.8, 10, 13.6364),
        ("10.00", "12.50", 25.0),
        ("10", "12.50", 25.0),
        ("10.00", 12, 20.0),
        (-5, 5, 200.0),
        (3, 0, -100.0),
        (0, 3, None),
        ("10115", "10117", None),
        ("1,5", "1,6", None),
        (True, 3, None),
        (None, 3, None),
        (10, "10", None),
        (5e-324, 1.7e308, None),
        pytest.param(10**5_000, 10**5_000 * 2, 100.0, id="5,000 digits"),
        pytest.param("9" * 10_000, 1, None, id="a long text"),
    ],
)
def test_a_percentage_is_that_of_two_numbers(before: Any, after: Any, percent: float | None):
    assert percentage(before, after) == percent


def changed(before: dict[str, Any], after: dict[str, Any], *ignored: str) -> list[tuple[Any, ...]]:
    return [(c.field, c.before, c.after, c.percent) for c in differences(before, after, ignored)]


def test_nested_fields_are_named_by_their_path():
    before = {"sku": 1, "offer": {"price": 10, "seller": {"name": "A"}}, "tags": ["x"]}
    after = {"offer": {"price": 11, "seller": {"name": "B"}}, "tags": ["x", "y"], "sku": 1}
    assert changed(before, after) == [
        ("offer.price", 10, 11, 10.0),
        ("offer.seller.name", "A", "B", None),
        ("tags", ["x"], ["x", "y"], None),
    ]


def test_a_field_that_comes_or_goes_is_null_on_the_other_side():
    assert changed({"a": 1, "b": None}, {"c": {"d": 2}}) == [
        ("a", 1, None, None),
        ("c", None, {"d": 2}, None),
    ]


def test_an_ignored_field_is_left_out_with_all_that_is_in_it():
    before = {"at": 1, "offer": {"price": 1, "at": 1}, "seller": {"name": "A"}}
    after = {"at": 2, "offer": {"price": 2, "at": 2}, "seller": {"name": "B"}}
    assert [row[0] for row in changed(before, after, "at", "offer.at", "seller")] == ["offer.price"]


@pytest.mark.parametrize("name", ["currency", "priceCurrency", "PRICE_CURRENCY"])
def test_prices_in_different_currencies_are_not_a_percentage(name: str):
    before, after = {"price": 10, name: "EUR"}, {"price": 11, name: "USD"}
    assert changed(before, after) == [("price", 10, 11, None), (name, "EUR", "USD", None)]
    assert changed({"price": 10, name: "EUR"}, {"price": 11})[0] == ("price", 10, 11, None)
    assert changed(before, {"price": 11, name: "eur "})[0] == ("price", 10, 11, 10.0)


def test_a_currency_holds_for_what_is_inside_too():
    before = {"currency": "EUR", "offer": {"price": 10}}
    after = {"currency": "USD", "offer": {"price": 11}}
    assert ("offer.price", 10, 11, None) in changed(before, after)


def test_a_path_finds_names_with_dots_and_nested_ones():
    row = {"a.b": 1, "a": {"b": 2, "c.d": {"e": 3}}, "x": [1]}
    assert [value_at(row, path) for path in ("a.b", "a.c.d.e", "x", "x.0", "", "q.r")] == [
        1, 3, [1], None, None, None,
    ]  # fmt: skip


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)
items = st.dictionaries(st.text(max_size=3), values, max_size=4)


@given(items, items)
def test_items_have_no_difference_exactly_if_they_are_the_same(before: Any, after: Any):
    assert differences(before, before) == []
    assert (differences(before, after) == []) == is_same(before, after)
    assert len(differences(before, after)) == len(differences(after, before))
