"""`swather sources`: the numbers of the store, and breakers that can be reset."""

from contextlib import closing
from pathlib import Path

import pytest

import swather.store
from swather.model.source import Answer, SourceNote
from tests.cli.conftest import Swather, done
from tests.store.given import a_lease, completed, finish


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Of a scraper that has asked two sources, one of which keeps failing."""
    url = f"sqlite:///{tmp_path / 'sources.db'}"
    notes = [
        SourceNote(name="flickr", answer=Answer.SUCCEEDED, seconds=0.5, counts={"images": 4}),
        *[
            SourceNote(
                name="pixabay",
                answer=Answer.FAILED,
                seconds=2.0,
                error=f"HTTP 503: \x1b[2J\u202e{number}",
            )
            for number in range(3)
        ],
        SourceNote(name="pixabay", answer=Answer.SKIPPED),
    ]
    with closing(swather.store.open(url)) as store:
        finish(store, completed(a_lease(store, scraper="media"), sources=notes))
        flickr = notes[:1] * 2
        finish(store, completed(a_lease(store, scraper="news"), sources=flickr))
    return url


def test_sources_shows_each_source_in_a_line(swather: Swather, database: str):
    said = done(swather, "sources", "media", "--db", database).out
    head, flickr, pixabay, _, _, failure = said.splitlines()
    assert head.split() == ["source", "scraper", "asked", "ok", "mean", "skipped", "breaker"]
    assert flickr.split() == ["flickr", "media", "1", "100%", "0.5s", "0", "closed"]
    assert pixabay.split()[:6] == ["pixabay", "media", "3", "0%", "2.0s", "1"]
    assert "open, " in pixabay
    assert failure.split()[:5] == ["pixabay", "media", "3", "HTTP", "503:"]
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_sources_are_the_same_for_programs(swather: Swather, database: str):
    listed = done(swather, "sources", "--db", database, "--json").data
    assert [(each["scraper"], each["source"], each["asked"]) for each in listed] == [
        ("media", "flickr", 1),
        ("media", "pixabay", 3),
        ("news", "flickr", 2),
    ]
    first, second, _ = listed
    assert first["counts"] == {"images": 4}
    assert (first["success_rate"], first["mean_seconds"]) == (1.0, 0.5)
    assert (second["failed"], second["skipped"]) == (3, 1)
    assert [each["count"] for each in second["failures"]] == [3]
    assert second["breaker"]["state"] == "open"
    assert 0 < second["breaker"]["retry_in_seconds"] <= 60
    assert done(swather, "sources", "ls", "news", "--db", database, "--json").data == listed[2:]


def test_reset_closes_the_breaker_and_says_so(swather: Swather, database: str):
    said = done(swather, "sources", "reset", "pixabay", "--db", database).out
    assert said == "pixabay will be asked again by 1 scraper\n"
    listed = done(swather, "sources", "media", "--db", database, "--json").data
    assert [each["breaker"]["state"] for each in listed] == ["closed", "closed"]
    again = done(swather, "sources", "reset", "pixabay", "--db", database).out
    assert "there is nothing to reset" in again
    data = done(swather, "sources", "reset", "pixabay", "--db", database, "--json").data
    assert data == {"source": "pixabay", "reset": []}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["reset", "pixaby"], 2, "there is no source 'pixaby'; did you mean 'pixabay'?"),
        (["reset", "pixabay", "--scraper", "news"], 2, "of scraper 'news'; `swather sources`"),
        (["--since", "soon"], 2, "expected a time such as 90s, 15m, 2h or 30d, got 'soon'"),
    ],
)
def test_mistakes_are_told(swather: Swather, database: str, arguments, code: int, said: str):
    result = swather("sources", *arguments, "--db", database)
    assert result.code == code
    assert said in result.err


def test_a_scraper_without_sources_is_told_so(swather: Swather, database: str):
    said = done(swather, "sources", "books", "--db", database).out
    assert said.startswith("no source of scraper 'books' was asked in the last 7d")


ASKING = """
from swather import scraper


@scraper
async def asking(ctx, target):
    ctx.note_source("api", ok=target != "c", seconds=0.5, error="HTTP 500", counts={"images": 2})
"""


@pytest.mark.slow
def test_a_run_tells_how_its_sources_answered(swather: Swather, tmp_path: Path):
    (tmp_path / "asking.py").write_text(ASKING)
    said = done(swather, "run", "asking.py", "a", "b", "c", "--json").data
    (api,) = said["sources"]
    assert (api["source"], api["state"], api["asked"], api["failed"]) == ("api", "done", 3, 1)
    assert api["counts"] == {"images": 6}
    assert done(swather, "status", said["run"], "--json").data["sources"] == [api]
    line = "api  ━━━━━━━───  1 of 3 failed · images 6 · HTTP 500"
    assert line in done(swather, "status", said["run"]).out.splitlines()
    assert line in done(swather, "run", "asking.py", "--new", "a", "b", "c").out.splitlines()
