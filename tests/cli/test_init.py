import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Swather

FILES = [".gitignore", "README.md", "books.py", "swather.toml", "test_books.py"]
BROWSER_FILES = [".gitignore", "README.md", "quotes.py", "swather.toml", "test_quotes.py"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "named", "files"),
    [([], "books.py", FILES), (["--browser"], "quotes.py", BROWSER_FILES)],
)
def test_the_tests_of_a_new_project_pass(swather: Swather, options, named, files):
    said = swather("init", "shops", *options)
    assert said.code == 0
    assert f"swather run {named}" in said.out
    assert sorted(path.name for path in Path("shops").iterdir()) == files
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd="shops",
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_its_scraper_and_its_settings_can_be_loaded(swather: Swather, monkeypatch):
    swather("init")
    data = swather("scrapers", "books.py", "--json").data
    assert (data["scraper"], data["options"]["rate"]) == ("books", "5/s")
    found = swather("settings", "--json").data
    assert found["concurrency"]["origin"] == "swather.toml"


def test_nothing_is_overwritten(swather: Swather):
    Path("README.md").write_text("mine")
    said = swather("init")
    assert (said.code, said.out) == (2, "")
    assert said.err == ("error: README.md already exists; name a new folder: swather init DIR\n")
    assert [path.name for path in Path().iterdir()] == ["README.md"]


def test_a_folder_that_cannot_be_made_is_told(swather: Swather):
    Path("file").touch()
    said = swather("init", "file/folder")
    assert said.code == 2
    assert said.err.startswith("error: cannot write a project to file/folder: ")


def test_the_next_commands_can_be_pasted_whatever_the_folder_is_called(swather: Swather):
    said = swather("init", "--site", "a b/c d")
    assert "  cd 'a b/c d'\n" in said.out


def test_it_answers_in_json(swather: Swather):
    data = swather("init", "shops", "--json").data
    assert data["folder"] == "shops"
    assert sorted(data["files"]) == FILES
