"""docs/architecture.md tells of the house as it is."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "swather"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WORDS = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
HOUSE = PAGE.partition("## The packages")[2].partition("\n## ")[0]


def rooms_told() -> list[str]:
    return re.findall(r"^\| `(\w+)` \|", HOUSE, re.MULTILINE)


def test_the_rooms_are_those_there_are():
    there = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    there |= {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__"}
    assert sorted(rooms_told()) == sorted(there)


def test_the_rooms_stand_in_the_order_of_their_imports():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [re.findall(r"\w+", layer) for layer in contracts["contracts"][0]["layers"]]
    level = {room: number for number, rooms in enumerate(layers) for room in rooms}
    told = [level[room] for room in rooms_told()]
    assert told == sorted(told)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+\.py)`", PAGE + WORDS))))
def test_every_file_that_it_or_the_words_name_is_there(name: str):
    rooms = (SOURCE, SOURCE / "worker" / "runners", ROOT)
    assert any((room / name).is_file() for room in rooms)


def test_every_thread_it_names_is_one():
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    for name in re.findall(r"`(swather-\w+)`", PAGE):
        assert f'name="{name}"' in code
