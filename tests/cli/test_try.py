from pathlib import Path

import pytest

from tests.cli.conftest import Swather
from tests.cli.scrapers import NUMBERS, write

MANY = """
from swather import scraper


@scraper
def many(ctx, target):
    '''A plain function that yields, follows and saves.'''
    ctx.save(b"content", name="a.bin")
    ctx.add("another")
    ctx.log.warning("careful with %s", target)
    yield {"target": target}
    yield {"params": ctx.params}
"""


def test_items_go_to_stdout_and_the_rest_to_stderr(swather: Swather):
    write(MANY)
    said = swather("try", "scrapers.py", "a")
    assert said.code == 0, said.err
    assert said.out == '{\n  "target": "a"\n}\n{\n  "params": {}\n}\n'
    assert "2 items, 1 further target, 1 file in " in said.err
    assert "  target another\n" in said.err
    assert "  file a.bin, 7 bytes\n" in said.err


def test_nothing_is_left_behind(swather: Swather):
    write(MANY)
    swather("try", "scrapers.py", "a")
    names = {path.name for path in Path().iterdir()}
    assert names - {"__pycache__"} == {"scrapers.py"}


def test_all_of_it_is_json(swather: Swather):
    write(MANY)
    data = swather("try", "scrapers.py", '{"id": 1}', "-p", "pages=2", "--json").data
    assert data["items"] == [{"target": {"id": 1}}, {"params": {"pages": "2"}}]
    assert data["targets"] == ["another"]
    assert data["files"] == {"a.bin": 7}


def test_an_error_is_shown_with_the_traceback_of_the_users_code(swather: Swather):
    write(NUMBERS)
    said = swather("try", "scrapers.py", "no number")
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("Traceback (most recent call last):\n  File ")
    assert "scrapers.py" in said.err.splitlines()[1]
    assert "number = int(target)" in said.err
    assert "ValueError: invalid literal for int()" in said.err
    assert said.err.endswith("A run would call this transient and retry the target.\n")


def test_an_error_says_what_a_run_makes_of_it(swather: Swather):
    write(NUMBERS)
    said = swather("try", "scrapers.py", "7")
    assert said.err == "seven\nA run would call this permanent and fail the target (seven).\n"
    data = swather("try", "scrapers.py", "7", "--json").data
    assert (data["error"], data["reason"]) == ("seven", "seven")
    assert "in numbers" in data["traceback"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nope.py", "a"), "there is no file 'nope.py'"),
        (("scrapers.py",), "Missing argument 'TARGET'"),
        (("scrapers.py", "a", "-p", "x"), "a parameter looks like name=value"),
    ],
)
def test_bad_input_is_one_line(swather: Swather, arguments, message):
    write(MANY)
    said = swather("try", *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1
