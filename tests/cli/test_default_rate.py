"""A newcomer's run keeps to a pace that a site's owner accepts, and says so."""

from contextlib import closing

import pytest

from swather import store as stores
from tests.cli.conftest import Swather
from tests.cli.scrapers import write

pytestmark = pytest.mark.slow
ECHO = """
from swather import scraper


@scraper
async def echo(ctx, target):
    yield {"url": target}
"""
PUBLIC, PRIVATE = "http://example.com/1", "http://127.0.0.1:9/1"


def every_seconds() -> tuple[float, bool]:
    with closing(stores.open("sqlite:///swather.db")) as store:
        (run,) = store.runs.find()
        return run.lane_limits.every_seconds, run.lane_limits.public_only


def test_a_run_says_the_pace_that_overrides_its_own(swather: Swather):
    write(ECHO, "echo.py")
    words = ("lanes", "set", "example.com", "--rate", "20/s", "--override")
    stores.open("sqlite:///swather.db").close()
    assert swather(*words).code == 0
    said = swather("run", "echo.py", PUBLIC, "http://example.org/1").err
    assert "Pace: 20/s on lane example.com, set with lanes set --override; " in said
    assert "this scraper asks for 5/s" in said
    assert "Pace: 5/s per public host (the default)" in said
    assert "per public host" not in swather("run", "echo.py", PUBLIC, "--new").err


@pytest.mark.parametrize(
    ("target", "options", "environment", "says", "limits"),
    [
        (PUBLIC, [], {}, "Pace: 5/s per public host (the default); --rate 20/s", (0.2, True)),
        (PUBLIC, [], {"SWATHER_DEFAULT_RATE": "2/s"}, "Pace: 2/s per public host", (0.5, True)),
        (PRIVATE, [], {}, "", (0.2, True)),
        (PUBLIC, ["--rate", "50/s"], {}, "", (0.02, False)),
        (PUBLIC, ["--rate", "none"], {}, "", (0.0, False)),
        (PUBLIC, [], {"SWATHER_DEFAULT_RATE": "none"}, "", (0.0, False)),
        (PUBLIC, ["--rate", "50/s"], {"SWATHER_RATE": "1/min"}, "", (0.02, False)),
    ],
)
def test_a_run_says_the_default_pace_where_it_applies(
    swather: Swather,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    options: list[str],
    environment: dict[str, str],
    says: str,
    limits: tuple[float, bool],
):
    write(ECHO, "echo.py")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ended = swather("run", "echo.py", target, *options)
    assert ended.code == 0
    assert says in ended.err
    assert ("Pace:" in ended.err) == bool(says)
    assert every_seconds() == limits


@pytest.mark.parametrize("rate", ["fast", "5", "0/s"])
def test_a_rate_that_is_none_is_refused(swather: Swather, rate: str):
    write(ECHO, "echo.py")
    ended = swather("run", "echo.py", PUBLIC, "--rate", rate)
    assert ended.code == 2
    assert "5/s" in ended.err
    assert "Traceback" not in ended.err
