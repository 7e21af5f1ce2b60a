"""The JSON Schema for editors: it accepts and refuses what the loader does."""

import tomllib

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swather.errors import LoadError
from swather.scraping.site.checking import check
from swather.scraping.site.problems import Problems
from swather.scraping.site.schema import SCHEMA
from tests.scraping.site.test_problems import GOOD, MISTAKES, VALUES, WORDS

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert VALIDATOR.is_valid(tomllib.loads(GOOD))


def _tables():
    for old, new, *_ in MISTAKES:
        if new.endswith("nan"):
            # JSON has no such number.
            continue
        try:
            yield tomllib.loads(GOOD.replace(old, new, 1))
        except tomllib.TOMLDecodeError:
            continue


def is_accepted(table) -> bool:
    return check(Problems("x", ""), table, SCHEMA)


@pytest.mark.parametrize("table", list(_tables()))
def test_the_schema_and_the_loader_agree_on_mistakes(table):
    if any("2026" in str(value) for value in table.get("options", {}).values()):
        # JSON has no dates.
        table["options"] = {"retries": "2026-01-01"}
    assert VALIDATOR.is_valid(table) == is_accepted(table)


@settings(deadline=None)
@given(st.dictionaries(WORDS, VALUES, max_size=4), st.dictionaries(WORDS, VALUES, max_size=3))
def test_the_schema_and_the_loader_agree_on_anything(table, fields):
    whole = {**table, "fields": fields}
    try:
        accepted = is_accepted(whole)
    except LoadError:
        accepted = False
    assert VALIDATOR.is_valid(whole) == accepted
