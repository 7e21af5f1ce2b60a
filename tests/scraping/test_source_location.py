"""Where an error happened: in the user's code, however deep it was raised."""

import asyncio
import json
import sys
from pathlib import Path

import msgspec
import pytest

from swather.errors import BadPayload
from swather.model.outcome import MAX_MESSAGE_CHARACTERS
from swather.scraping.classify import classify
from swather.scraping.instance import Instance
from swather.scraping.invoke import invoke
from swather.scraping.registry import load
from swather.scraping.scraper import scraper
from swather.scraping.source_location import code_owner, definition, source_location, traceback_of
from tests.scraping.attempts import context, raised_by, run_on


def price_of(text):
    return json.loads(text)


@scraper
async def books(ctx, target):
    return price_of(target)


@scraper
async def emitting(ctx, target):
    ctx.emit(object())


def test_it_is_the_innermost_frame_of_the_user_and_not_of_the_library_it_calls():
    error = raised_by(lambda: run_on(books, "{"))
    assert isinstance(error, json.JSONDecodeError)
    line = price_of.__code__.co_firstlineno + 1
    assert source_location(error) == f"test_source_location.py:{line} in price_of"


def test_it_is_found_for_what_a_library_caught_and_raised_otherwise():
    def library():
        error = KeyError("inner")
        raise RuntimeError("outer") from error

    error = raised_by(library)
    assert classify(error).fault.where.endswith(" in library")


def test_an_error_without_a_line_is_one_of_the_scraper():
    first = books.function.__code__.co_firstlineno
    assert definition(books.function) == f"test_source_location.py:{first} in books"
    assert definition(print) == ""


def test_it_is_the_user_who_called_us_with_something_wrong():
    error = raised_by(lambda: run_on(emitting))
    assert isinstance(error, BadPayload)
    assert source_location(error).endswith(" in emitting")


def test_failures_of_one_kind_at_one_place_are_one_group():
    faults = [classify(raised_by(lambda t=t: run_on(books, t))).fault for t in ("{", "{ ")]
    assert faults[0].fingerprint == faults[1].fingerprint
    other = classify(raised_by(lambda: json.loads("{"))).fault
    assert other.fingerprint != faults[0].fingerprint


def test_an_error_that_was_never_raised_has_no_place():
    assert source_location(ValueError("x")) == ""
    assert traceback_of(ValueError("x")) == "ValueError: x\n"


def test_the_traceback_begins_in_the_users_code():
    async def attempt():
        await invoke(Instance(books), context("{"))

    def raised_in_the_engine():
        asyncio.run(attempt())

    text = traceback_of(raised_by(raised_in_the_engine))
    assert text.startswith("Traceback (most recent call last):\n")
    assert "return price_of(target)" in text
    assert text.rstrip().splitlines()[-1].startswith("json.decoder.JSONDecodeError: ")


def test_of_a_long_traceback_the_end_is_kept():
    def deep(n):
        if not n:
            raise ValueError("x" * 20_000)
        deep(n - 1)

    text = traceback_of(raised_by(lambda: deep(100)))
    assert len(text) <= MAX_MESSAGE_CHARACTERS
    assert text.startswith("…")


def test_endless_recursion_can_be_told():
    def endless():
        return endless()

    error = raised_by(endless)
    assert source_location(error).endswith(" in endless")
    assert "RecursionError" in traceback_of(error)


def test_a_scraper_that_is_an_installed_package_is_its_own_place(tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "installed_books.py").write_text(
        "from swather.scraping.scraper import scraper\n"
        "@scraper\n"
        "def books(ctx, target):\n"
        "    return helper(target)\n"
        "def helper(target):\n"
        "    return 1 / target\n"
    )
    error = raised_by(lambda: load(str(folder / "installed_books.py"))(None, 0))
    error.__traceback__ = error.__traceback__.tb_next.tb_next
    assert source_location(error) == "installed_books.py:4 in books"


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (__file__, "user"),
        ("<string>", "user"),
        (msgspec.__file__, "installed"),
        (json.__file__, "python"),
        ("<frozen importlib._bootstrap>", "python"),
        (sys.modules["swather.scraping.invoke"].__file__, "ours"),
        (str(Path(sys.modules["swather"].__file__).parent / "builtin" / "pages.py"), "user"),
        (str(Path(sys.modules["swather"].__file__).parent) + "_of_mine/x.py", "user"),
    ],
)
def test_whose_code_a_file_is(file, kind):
    assert code_owner(file) == kind
