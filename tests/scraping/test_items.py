"""Items of every kind become JSON, or an error that names them."""

import dataclasses
from datetime import UTC, datetime
from typing import Any

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import BadPayload
from swather.model.outcome import EncodedItem
from swather.model.payload import MAX_ITEM_BYTES, encode_item
from swather.store.finishing import prepare_results


@dataclasses.dataclass
class Book:
    title: str
    price: float | None = None


class Shelf(msgspec.Struct):
    books: list[Any]


class Model(pydantic.BaseModel):
    title: str
    seen_at: datetime = datetime(2026, 2, 15, tzinfo=UTC)


def decoded(item):
    return msgspec.json.decode(encode_item(item))


def test_dicts_dataclasses_structs_and_pydantic_models_are_items():
    assert decoded({"a": [1, None]}) == {"a": [1, None]}
    assert decoded(Book("Faust")) == {"title": "Faust", "price": None}
    assert decoded(Shelf([Book("Faust", 2.5)])) == {"books": [{"title": "Faust", "price": 2.5}]}
    assert decoded(Model(title="Faust")) == {"title": "Faust", "seen_at": "2026-02-15T00:00:00Z"}


def test_a_pydantic_model_inside_another_item_is_one_too():
    assert decoded({"book": Model(title="Faust")})["book"]["title"] == "Faust"
    assert decoded([Book("a"), Model(title="b")])[1]["title"] == "b"


@pytest.mark.parametrize(
    ("item", "complaint"),
    [
        ({"when": object()}, "item is not JSON"),
        ({"price": float("nan")}, "NaN"),
        (Book("a", float("inf")), "NaN or an infinity"),
        ({"text": "a\0b"}, "NUL"),
        ({"text": "\ud800"}, "surrogate"),
        ({"book": Model(title="a\0")}, "NUL"),
        ({"text": "x" * MAX_ITEM_BYTES}, "the limit is"),
        (lambda: 1, "not JSON"),
    ],
)
def test_what_is_no_json_is_refused_with_itself_in_the_message(item, complaint):
    with pytest.raises(BadPayload, match=complaint):
        encode_item(item)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=10,
)  # fmt: skip


@pytest.mark.slow
@given(JSON)
def test_whatever_an_item_is_the_stores_take_it_as_it_was_encoded(item):
    try:
        encoded = EncodedItem(encode_item(item))
    except BadPayload:
        return
    [(_, stored)] = prepare_results([encoded], [], []).items
    assert msgspec.json.decode(stored) == msgspec.json.decode(msgspec.json.encode(item))
