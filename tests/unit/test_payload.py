import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import BadPayload
from swather.model.payload import MAX_DEPTH, MAX_TARGET_BYTES, decode, encode


@dataclass
class Page:
    body: Any


class Row(msgspec.Struct):
    body: Any


class Unmeasured(Enum):
    VALUE = math.nan


storable_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | storable_text
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.dictionaries(storable_text, inner),
    max_leaves=20,
)


def wrappers() -> st.SearchStrategy[Callable[[Any], Any]]:
    return st.sampled_from(
        [
            lambda value: [None, value, 0.5],
            lambda value: ("null", value),
            lambda value: {"name": value},
            Page,
            Row,
        ]
    )


def wrapped(value: Any, layers: list[Callable[[Any], Any]]) -> Any:
    for layer in layers:
        value = layer(value)
    return value


def nested(depth: int, leaf: Any = 1) -> Any:
    for _ in range(depth):
        leaf = [leaf]
    return leaf


@given(values)
def test_what_is_encoded_comes_back(value: Any) -> None:
    assert decode(encode(value)) == value


@given(st.integers())
def test_whole_numbers_of_any_size_come_back(number: int) -> None:
    assert decode(encode([number])) == [number]


@given(storable_text, storable_text)
def test_the_text_backslash_u0000_is_not_a_nul(before: str, after: str) -> None:
    value = {before + r"\u0000" + after: [before + r"\\u0000"]}
    assert decode(encode(value)) == value


@given(storable_text, storable_text, st.lists(wrappers(), max_size=4))
def test_a_nul_is_refused_wherever_it_is(before: str, after: str, layers: list[Any]) -> None:
    text = before + "\0" + after
    for value in (text, {text: 1}, {text: None}, [r"\u0000", text]):
        with pytest.raises(BadPayload, match="NUL"):
            encode(wrapped(value, layers))


@given(
    st.text(),
    st.characters(categories=["Cs"]),
    st.sampled_from(["", "x"]),
    st.lists(wrappers(), max_size=4),
)
def test_a_lone_surrogate_is_refused_wherever_it_is(
    before: str, surrogate: str, after: str, layers: list[Any]
) -> None:
    text = before + surrogate + after
    for value in (text, {text: 1}):
        with pytest.raises(BadPayload, match="lone surrogate"):
            encode(wrapped(value, layers))


@given(
    st.sampled_from([math.nan, math.inf, -math.inf, Unmeasured.VALUE]),
    st.lists(wrappers(), max_size=4),
)
def test_nan_and_infinities_are_refused_wherever_they_are(number: Any, layers: list[Any]) -> None:
    with pytest.raises(BadPayload, match="NaN or an infinity"):
        encode(wrapped(number, layers))


def test_nan_in_a_set_is_refused() -> None:
    with pytest.raises(BadPayload, match="NaN or an infinity"):
        encode({1.5, math.nan})


@given(st.lists(wrappers(), max_size=4))
def test_the_word_null_and_none_are_no_nan(layers: list[Any]) -> None:
    for value in ("null", None, {"null": None}, [0.5, "nan"]):
        assert "null" in encode(wrapped([value, None], layers))


def test_names_that_are_numbers_become_text() -> None:
    assert decode(encode({1: None, 2.5: None, math.nan: None})) == {
        "1": None,
        "2.5": None,
        "nan": None,
    }


@pytest.mark.parametrize("leaf", [1, None, 0.5, r"\u0000", "null"])
def test_the_deepest_value_that_is_accepted_comes_back(leaf: Any) -> None:
    for value in (nested(MAX_DEPTH, leaf), [nested(MAX_DEPTH - 1, leaf), [], {}]):
        assert decode(encode(value)) == value


@pytest.mark.parametrize("leaf", [1, None, math.nan, "\0", r"\u0000"])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 500, 950, 100_000])
def test_too_deep_a_value_is_refused(depth: int, leaf: Any) -> None:
    with pytest.raises(BadPayload, match="nested"):
        encode(nested(depth, leaf))


def test_many_values_beside_each_other_are_not_deep() -> None:
    value = [{"brackets": "[{" * 10}] * (MAX_DEPTH * 10)
    assert decode(encode(value)) == value


def test_a_value_that_contains_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(BadPayload, match="nested too deeply"):
        encode(value)


def test_checks_take_one_look_at_each_number() -> None:
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    numbers = [r"\u0000", None, *[0.5] * 1000]
    sys.setprofile(count)
    try:
        encode(numbers)
    finally:
        sys.setprofile(None)
    assert calls < 10 * len(numbers)


@given(st.integers(0, 300))
def test_the_limit_is_in_bytes_of_json(size: int) -> None:
    value = "é" * size
    taken = 2 * size + 2
    assert encode(value, max_bytes=taken)
    with pytest.raises(BadPayload, match=f"is {taken:,} bytes of JSON, the limit is {taken - 1:,}"):
        encode(value, max_bytes=taken - 1)


def test_a_target_is_at_most_a_mebibyte() -> None:
    with pytest.raises(BadPayload, match="the limit is 1,048,576"):
        encode("x" * MAX_TARGET_BYTES)


@pytest.mark.parametrize(
    "value", [object(), {(1, 2): 3}, {None: 1}, len, 1j, 10**5000], ids=lambda _: ""
)
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(BadPayload, match="item is not JSON"):
        encode(value, what="item")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"price": math.nan}, "item contains NaN or an infinity, .*{'price': nan}"),
        (["a\0b"], r"item contains a NUL character: \['a\\x00b'\]"),
        ("\ud800", r"item contains a lone surrogate: '\\ud800'"),
        ({"when": 1j}, "item is not JSON: .*complex.*{'when': 1j}"),
        ("y" * 500, "item is 502 bytes of JSON, the limit is 400: 'y{76}…$"),
    ],
)
def test_the_error_names_the_value(value: Any, shown: str) -> None:
    with pytest.raises(BadPayload, match=shown):
        encode(value, what="item", max_bytes=400)


@pytest.mark.slow
@given(values)
def test_structs_and_dataclasses_are_stored_by_their_fields(value: Any) -> None:
    assert decode(encode([Page(value), Row(value)])) == [{"body": value}, {"body": value}]
