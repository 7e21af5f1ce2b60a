"""Parameters: typed by the scraper that declares them, one message for all that is wrong."""

import dataclasses
from enum import StrEnum
from typing import Annotated

import msgspec
import pydantic
import pytest

from swather.errors import InputError
from swather.scraping.params import fields_of, parse, typed_params
from swather.scraping.scraper import scraper


class Order(StrEnum):
    NEW = "new"
    OLD = "old"


@dataclasses.dataclass
class AsDataclass:
    query: str
    pages: int = 3
    fast: bool = False
    tags: list[str] = dataclasses.field(default_factory=list)
    ratio: float | None = None
    order: Order = Order.NEW


class AsStruct(msgspec.Struct, frozen=True):
    query: str
    pages: int = 3
    fast: bool = False
    tags: list[str] = []
    ratio: float | None = None
    order: Order = Order.NEW


class AsModel(pydantic.BaseModel):
    query: str
    pages: int = 3
    fast: bool = False
    tags: list[str] = []
    ratio: float | None = None
    order: Order = Order.NEW


def made_with(kind):
    @scraper(name="search", params=kind)
    def made(ctx, target): ...

    return made


KINDS = pytest.mark.parametrize("kind", [AsDataclass, AsStruct, AsModel])


@KINDS
def test_texts_become_values_of_the_declared_types(kind):
    pairs = ["query=a=b", "pages=7", "fast=true", "tags=x", "tags=y", "ratio=0.5", "order=old"]
    kept = parse(made_with(kind), pairs)
    assert kept == {
        "query": "a=b", "pages": 7, "fast": True, "tags": ["x", "y"], "ratio": 0.5, "order": "old",
    }  # fmt: skip
    assert typed_params(made_with(kind), kept) == kind(
        query="a=b", pages=7, fast=True, tags=["x", "y"], ratio=0.5, order=Order.OLD
    )


@KINDS
def test_a_list_is_given_as_json_or_by_one_value(kind):
    assert parse(made_with(kind), ["query=", 'tags=["x", "y"]'])["tags"] == ["x", "y"]
    assert typed_params(made_with(kind), {"query": "", "tags": ["x"]}).tags == ["x"]
    assert parse(made_with(kind), ["query=", "tags=x"])["tags"] == ["x"]


@KINDS
def test_defaults_are_filled_in_but_not_kept(kind):
    kept = parse(made_with(kind), ["query=a"])
    assert kept == {"query": "a"}
    assert typed_params(made_with(kind), kept).pages == 3


@KINDS
def test_everything_that_is_wrong_is_told_at_once(kind):
    with pytest.raises(InputError) as refused:
        parse(made_with(kind), ["pages=many", "order=odd", "qeury=a"])
    message = str(refused.value)
    assert message.startswith("parameters of scraper 'search': ")
    assert "missing 'query' (str)" in message
    assert "unknown 'qeury' (it takes query, pages, fast, tags, ratio, order)" in message
    assert "'pages': expected int, got 'many'" in message
    assert "'order': expected Order, got 'odd'" in message


def test_a_scraper_that_declares_nothing_gets_texts():
    made = made_with(None)
    assert parse(made, ["pages=3", "tag=a", "tag=b", "tag=c"]) == {
        "pages": "3",
        "tag": ["a", "b", "c"],
    }
    assert typed_params(made, {"pages": 3}) == {"pages": 3}


@pytest.mark.parametrize("pair", ["pages", "=3", "", " = ", "_hidden=1"])
def test_a_pair_is_a_name_and_a_value(pair):
    with pytest.raises(InputError, match="looks like name=value"):
        parse(made_with(None), [pair])


def test_what_a_run_keeps_for_itself_is_not_the_scrapers():
    assert typed_params(made_with(None), {"_fingerprint": "ab", "a": 1}) == {"a": 1}
    assert typed_params(made_with(AsStruct), {"_fingerprint": "ab", "query": "q"}).query == "q"


def test_a_refusal_of_the_type_itself_is_told_too():
    class Picky(pydantic.BaseModel):
        pages: int = pydantic.Field(default=1, le=10)

    @dataclasses.dataclass
    class Strict:
        pages: int

        def __post_init__(self):
            if self.pages > 10:
                raise ValueError("too many pages")

    with pytest.raises(InputError, match=r"'pages': .* less than or equal to 10, got 11"):
        parse(made_with(Picky), ["pages=11"])
    with pytest.raises(InputError, match="too many pages"):
        parse(made_with(Strict), ["pages=11"])


def test_types_of_pydantics_own_are_made_by_pydantic():
    class Site(pydantic.BaseModel):
        start: pydantic.HttpUrl

    assert parse(made_with(Site), ["start=https://example.com"]) == {
        "start": "https://example.com/"
    }
    with pytest.raises(InputError, match="'start': expected HttpUrl, got 'example'"):
        parse(made_with(Site), ["start=example"])


@dataclasses.dataclass
class ToldInDataclass:
    size: Annotated[int, "How many."]
    tags: list[str] = dataclasses.field(default_factory=list)


class ToldInStruct(msgspec.Struct):
    size: Annotated[int, msgspec.Meta(ge=0, description="How many.")]
    tags: list[str] = msgspec.field(default_factory=list)


class ToldInModel(pydantic.BaseModel):
    size: int = pydantic.Field(description="How many.")
    tags: list[str] = pydantic.Field(default_factory=list)


@pytest.mark.parametrize("kind", [ToldInDataclass, ToldInStruct, ToldInModel])
def test_fields_know_their_types_defaults_and_what_they_are_for(kind):
    size, tags = fields_of(kind).values()
    assert (size.kinds, size.required, size.help) == ((int,), True, "How many.")
    assert (tags.default, tags.required, tags.help) == ([], False, "")
    assert typed_params(made_with(kind), {"size": "3"}).size == 3


@dataclasses.dataclass
class Mapped:
    mirrors: dict[str, str] = dataclasses.field(default_factory=dict)


@pytest.mark.parametrize(
    "pairs",
    [
        ["mirrors=nl=https://nl.example/?a=b", "mirrors=de=https://de.example"],
        ['mirrors={"nl": "https://nl.example/?a=b", "de": "https://de.example"}'],
    ],
)
def test_a_mapping_is_made_of_names_and_values(pairs):
    assert parse(made_with(Mapped), pairs) == {
        "mirrors": {"nl": "https://nl.example/?a=b", "de": "https://de.example"}
    }
    with pytest.raises(InputError, match="'mirrors': expected dict"):
        parse(made_with(Mapped), ["mirrors=nl"])


@dataclasses.dataclass
class NeedsFile:
    file: str

    def check_given(self) -> None:
        if self.file != "here":
            raise ValueError(f"'file': there is no file {self.file!r}")


def test_a_type_can_check_what_only_holds_where_it_is_given():
    made = made_with(NeedsFile)
    assert parse(made, ["file=here"]) == {"file": "here"}
    with pytest.raises(InputError, match="scraper 'search': 'file': there is no file 'there'"):
        parse(made, ["file=there"])
    assert typed_params(made, {"file": "there"}) == NeedsFile("there")
