"""What may be imported in the processes of a run: installed modules first, the scraper's last."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Swather
from tests.cli.scrapers import NUMBERS, write

# Modules that a worker or a child process imports, early or late.
NAMES = (
    "apsw", "asyncio", "brotli", "encodings", "json", "logging", "msgspec", "pydantic_settings",
    "random", "rich", "selectolax", "tomllib", "typer", "typing", "typing_extensions",
    "wreq",
)  # fmt: skip
TRAP = "from pathlib import Path\nPath('owned').open('a').write(__name__)\n"


def set_traps() -> None:
    for name in NAMES:
        write(TRAP, f"{name}.py")


def owned() -> str:
    return Path("owned").read_text() if Path("owned").exists() else ""


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["", ', isolation="process"'])
def test_workers_and_children_import_nothing_from_the_current_folder(
    installed: Swather, isolation: str
):
    set_traps()
    write(TRAP, "swather.py")
    Path("code").mkdir()
    text = NUMBERS.replace("in_flight=None", f"in_flight=None{isolation}")
    write(text, folder=Path("code"))
    said = installed("run", "code/scrapers.py", "1", "2")
    assert (said.code, owned()) == (0, ""), said.err


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["", ', isolation="process"'])
def test_what_lies_beside_a_scraper_goes_before_nothing_that_is_installed(
    installed: Swather, isolation: str
):
    set_traps()
    write(NUMBERS.replace("in_flight=None", f"in_flight=None{isolation}"))
    said = installed("run", "scrapers.py", "1", "2")
    assert (said.code, owned()) == (0, ""), said.err


@pytest.mark.slow
def test_the_package_run_as_a_program_imports_nothing_from_the_current_folder():
    write(TRAP, "typer.py")
    write(TRAP, "rich.py")
    done = subprocess.run(
        [sys.executable, "-m", "swather.cli", "scrapers"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, owned()) == (0, ""), done.stderr
    assert "pages" in done.stdout


@pytest.mark.slow
def test_a_module_of_the_current_folder_is_found_by_its_name(installed: Swather):
    write(NUMBERS, "shop_numbers.py")
    said = installed("run", "shop_numbers:numbers", "1", "2", "--json")
    assert said.code == 0, said.err
    assert said.data["counts"]["completed"] == 2


def test_a_neighbour_that_cannot_be_imported_is_told(swather: Swather):
    write("import json\n" + NUMBERS)
    write("WORD = 1\n", "json.py")
    said = swather("run", "scrapers.py", "1")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "scrapers.py imports 'json', but that is Python's own and not " in said.err
    assert "json.py; rename this file" in said.err
