"""Three ways to call `swather`: in this process, in one of its own, and as a user does."""

import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from swather.cli import main
from swather.settings import Settings
from swather.web.dashboard import Dashboard
from tests import forked
from tests.served import ADMIN, READER

PROGRAM = Path(sys.executable).with_name("swather")


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]


Swather = Callable[..., Result]


def done(call: Swather, *arguments: str) -> Result:
    """What it says, if all went well."""
    said = call(*arguments)
    assert said.code == 0, said.err
    return said


@pytest.fixture(autouse=True)
def an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test works in a folder of its own and sees no database of the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SWATHER_DB", raising=False)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def swather(capsys: pytest.CaptureFixture[str]) -> Iterator[Swather]:
    """`swather("db", "init")` in this process. Where it logs to ends with the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def call(*arguments: str) -> Result:
        code = main(arguments)
        said = capsys.readouterr()
        return Result(code, said.out, said.err)

    yield call
    for handler in root.handlers[:]:
        if handler not in handlers:
            root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def started(tmp_path: Path) -> Swather:
    """The program in a process of its own."""

    def call(*arguments: str, **options: Any) -> Result:
        done = forked.run(arguments, cwd=options.pop("cwd", tmp_path), timeout=50, **options)
        return Result(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def installed(tmp_path: Path) -> Swather:
    """The installed program, started as a user does, for what depends on that."""

    def call(*arguments: str, **options: Any) -> Result:
        done = subprocess.run(
            [PROGRAM, *arguments],
            cwd=options.pop("cwd", tmp_path),
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
            **options,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without tables; on SQLite not even a file."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'queue.db'}"
        return
    with request.getfixturevalue("postgres_server").fresh_database() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database with tables, named by SWATHER_DB or --db."""
    if request.param == "sqlite":
        empty = request.getfixturevalue("template_file")
        yield f"sqlite:///{shutil.copyfile(empty, tmp_path / 'queue.db')}"
        return
    postgres = request.getfixturevalue("reused")
    yield postgres.url
    postgres.empty()


@pytest.fixture
def server(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server of that database; SWATHER_API_TOKEN has its token."""
    monkeypatch.setenv("SWATHER_API_TOKEN", ADMIN)
    settings = Settings(db=database, api_port=0, api_token=ADMIN, api_read_token=READER)
    with Dashboard(settings) as dashboard, dashboard.serving():
        yield dashboard.address
