"""A job: sources at once, each with its deadline, each committed when it ends."""

import asyncio
import errno
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from swather.builtin.media.job import Job
from swather.builtin.media.results import Ended, SourceStats
from swather.builtin.media.sources import registry
from swather.builtin.media.sources.source import Found, Source, SourceWeb, Wanted
from swather.errors import Permanent
from swather.testing import Answer
from tests.builtin.media.given import asked, job, stats
from tests.builtin.media.stand_ins import StandIn, hang, picture, video

JPEG = {"Content-Type": "image/jpeg"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def openverse() -> Iterator[StandIn]:
    with StandIn("openverse") as site:
        yield site


@pytest.fixture
def bing() -> Iterator[StandIn]:
    with StandIn("bing_images") as site:
        yield site


def lines_of_log() -> list[str]:
    """Without their times."""
    text = Path("logs/download_errors.log").read_text()
    return [line.partition(" | ")[2] for line in text.splitlines()]


def test_the_results_are_those_of_all_sources(openverse: StandIn, bing: StandIn):
    bing.routes["/images/async"] = Answer(status=500)
    found = asked([openverse, bing], max_retries_per_source=["0"])
    assert job(found)["results"] == {
        "total_downloaded": 3,
        "images": 3,
        "videos": 0,
        "source_stats": {
            "openverse": stats(3),
            "bing_images": stats(error=f"HTTP 500 from {bing.url.removeprefix('http://')}"),
        },
        "successful_sources": ["openverse"],
        "failed_sources": ["bing_images"],
    }
    files = [item for item in found.items if item["type"] == "file"]
    assert {item["file"] for item in files} == set(found.files)
    assert sorted(found.files.values()) == sorted(map(picture, openverse.pictures))
    assert all(name.startswith("cats/openverse/") for name in found.files)
    assert files[0]["licence"] == "by-sa 4.0"
    assert files[0]["page_url"].startswith("https://museum.example/")
    assert (files[0]["width"], files[0]["height"]) == (64, 48)


@pytest.mark.parametrize(
    ("answer", "why", "error"),
    [
        (Answer("<html>no</html>", headers=JPEG), "not_media", "it is HTML, announced as image/j"),
        (Answer(picture("x", "PNG"), headers=JPEG), "wrong_type", "it is image/png, announced as"),
        (Answer(picture("x")[:-200], headers=JPEG), "broken", "it cannot be decoded"),
        (Answer(video("x")[:-9], headers={"Content-Type": "video/mp4"}), "broken", "within a box"),
        (Answer(picture("x"), 404, JPEG), "not_fetched", "HTTP 404"),
        (Answer(picture("x") * 40, headers=JPEG), "too_large", "--max-file-bytes raises the limit"),
    ],
)
def test_a_file_that_is_not_what_it_seems_is_not_kept(
    openverse: StandIn, answer: Answer, why: str, error: str
):
    openverse.routes[f"/files/{openverse.pictures[0]}"] = answer
    found = asked([openverse], max_file_bytes=10_000, kind="both")
    assert job(found)["results"]["source_stats"]["openverse"] == stats(2)
    assert job(found)["unused_files"] == {"openverse": {why: 1}}
    (line,) = [line for line in lines_of_log() if "UNUSED" in line]
    assert error in line
    assert len(found.files) == 2


def test_a_source_without_one_usable_file_has_failed(openverse: StandIn, bing: StandIn):
    for name in openverse.pictures:
        openverse.routes[f"/files/{name}"] = Answer("<html>", headers=JPEG)
    found = asked([openverse, bing])
    assert job(found)["results"]["failed_sources"] == ["openverse"]
    assert job(found)["results"]["source_stats"]["openverse"]["error"] == (
        "none of 3 files could be used: it is HTML, announced as image/jpeg"
    )


@pytest.mark.slow
def test_a_source_that_hangs_is_cut_and_the_answer_says_what_raises_the_limit(
    openverse: StandIn, bing: StandIn
):
    openverse.misbehaving[f"/files/{openverse.pictures[2]}"] = hang
    found = asked([openverse, bing], source_timeout=["20,openverse=3"])
    assert job(found)["results"]["source_stats"] == {
        "openverse": stats(2, error="Timeout after 3s"),
        "bing_images": stats(3),
    }
    assert job(found)["cut"] == {
        "openverse": "stopped after 3 s, with 2 of 10 files (--source-timeout)"
    }
    assert "ERROR | TIMEOUT | openverse | Timeout after 3s" in lines_of_log()


def test_a_source_whose_files_are_not_wanted_has_not_failed(openverse: StandIn):
    found = asked([openverse], max_file_bytes=100)
    assert job(found)["results"]["source_stats"] == {"openverse": stats(0)}
    assert job(found)["unused_files"] == {"openverse": {"too_large": 3}}
    assert job(found)["cut"] == {"openverse": "3 files too large (--max-file-bytes)"}


class Stubborn(Source):
    """Goes on when it is cancelled, as code that catches too much does."""

    name = "stubborn"
    base_url = ""
    now: ClassVar[int] = 0
    most: ClassVar[int] = 0

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        for _ in range(20):
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue
        yield Found(url="http://localhost/", kind="image", source=self.name)


@pytest.mark.slow
def test_a_source_that_cannot_be_stopped_holds_up_nobody(
    openverse: StandIn, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(registry._added, "stubborn", Stubborn)
    found = asked([openverse], sources=["stubborn", "openverse"], source_timeout=["stubborn=0.1"])
    assert job(found)["results"]["source_stats"] == {
        "stubborn": stats(error="Timeout after 0.1s"),
        "openverse": stats(3),
    }


@pytest.mark.parametrize("at_once", [1, 2])
def test_no_more_sources_are_asked_at_once_than_allowed(
    at_once: int, monkeypatch: pytest.MonkeyPatch
):
    class Counting(Source):
        base_url = ""
        now = most = 0

        async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
            Counting.now += 1
            Counting.most = max(Counting.now, Counting.most)
            await asyncio.sleep(0.02)
            Counting.now -= 1
            for one in ():
                yield one

    for name in "abcd":
        monkeypatch.setitem(registry._added, name, type(name, (Counting,), {"name": name}))
    found = asked([], sources=["a,b", "c,d"], max_concurrent_sources=at_once)
    assert job(found)["results"]["successful_sources"] == ["a", "b", "c", "d"]
    assert Counting.most == at_once


def test_each_finished_source_is_committed_and_not_asked_again(openverse: StandIn, bing: StandIn):
    first = asked([openverse, bing], max_concurrent_sources=1)
    cursor, _ = first.cursors
    assert cursor.keys() == {"openverse"}
    before = len(bing.queries)
    again = asked([openverse, bing], cursor=cursor)
    assert len(openverse.queries) == 1
    assert len(bing.queries) == 2 * before
    assert job(again)["results"] == job(first)["results"]
    assert {item["source"] for item in again.items[:-1]} == {"bing_images"}
    assert any(line.startswith("INFO | === JOB RESUME") for line in lines_of_log())


def test_a_cached_source_is_not_asked_again(openverse: StandIn, bing: StandIn):
    first = asked([openverse], cache="1d")
    again = asked([openverse, bing], cache="1d", remembered=first.remembered)
    assert len(openverse.queries) == 1
    assert bing.queries
    assert job(again)["results"]["source_stats"] == {"openverse": stats(3), "bing_images": stats(3)}
    assert job(again)["cached_sources"] == ["openverse"]
    cached = [item for item in again.items if item.get("cached")]
    assert [{**item, "cached": True} for item in first.items[:-1]] == cached
    asked([openverse], "dogs", cache="1d", remembered=first.remembered)
    asked([openverse], remembered=first.remembered)
    assert len(openverse.queries) == 3


def test_a_source_that_keeps_failing_is_skipped_and_said_to_be(openverse: StandIn, bing: StandIn):
    found = asked([openverse, bing], open_sources=["bing_images"])
    assert bing.queries == []
    assert job(found)["skipped_sources"] == job(found)["results"]["failed_sources"] == [bing.source]
    assert any(line.startswith("WARNING | SKIPPED | bing_images | ") for line in lines_of_log())


def test_it_is_noted_how_each_source_answered(openverse: StandIn, bing: StandIn):
    bing.routes["/images/async"] = Answer(status=404)
    found = asked([openverse, bing], sources=["openverse", "bing_images", "unsplash"])
    noted = {note.name: note for note in found.sources}
    assert noted.keys() == {"openverse", "bing_images"}
    assert noted["openverse"].counts == {"images": 3}
    assert noted["bing_images"].error.startswith("HTTP 404 from ")


def test_a_folder_that_cannot_be_written_ends_the_job(
    openverse: StandIn, monkeypatch: pytest.MonkeyPatch
):
    async def save(*_: object) -> None:
        raise NotADirectoryError(errno.ENOTDIR, "Not a directory", "/downloads")

    monkeypatch.setattr("swather.testing.verbs.MemoryVerbs.save", save)
    with pytest.raises(Permanent, match="no files can be saved in /downloads: Not a") as raised:
        asked([openverse])
    assert raised.value.reason == "unwritable_folder"


def test_the_same_content_is_published_once_by_all_jobs(openverse: StandIn, bing: StandIn):
    for site in (openverse, bing):
        site.routes[f"/files/{site.pictures[0]}"] = Answer(picture("same"), headers=JPEG)
    first = asked([openverse, bing])
    results = job(first)["results"]
    assert results["total_downloaded"] == len(first.files) == 5
    assert sum(map(Counter.total, map(Counter, job(first)["unused_files"].values()))) == 1
    known = {key: {**value, "job": "other/1"} for key, value in first.remembered.items()}
    again = asked([openverse, bing], remembered=known)
    assert job(again)["results"]["total_downloaded"] == 0
    assert job(again)["results"]["failed_sources"] == []
    kept = asked([openverse, bing], remembered=known, duplicates="keep")
    assert job(kept)["results"]["total_downloaded"] == 6


def test_an_own_earlier_attempt_leaves_no_duplicates(openverse: StandIn):
    first = asked([openverse])
    assert asked([openverse], remembered=first.remembered).files == first.files


def test_the_log_is_the_statistics_line_by_line(openverse: StandIn, bing: StandIn):
    bing.routes["/images/async"] = Answer(status=404)
    openverse.routes[f"/files/{openverse.pictures[0]}"] = Answer(status=404)
    found = asked([openverse, bing], {"query": "cats\n2020-01-01 | ERROR | FAILED"})
    results = job(found)["results"]
    lines = lines_of_log()
    query = "Query: cats 2020-01-01 ¦ ERROR ¦ FAILED"
    assert lines[0] == (
        f"INFO | === JOB START === | Job ID: test/1 | {query} | "
        "Sources: ['openverse', 'bing_images']"
    )
    events = Counter(line.partition(" | ")[2].partition(" ")[0].rstrip(":") for line in lines)
    assert events["SUCCESS"] == results["total_downloaded"] == 2
    assert events["UNUSED"] == 1
    assert events["COMPLETED"] == len(results["successful_sources"])
    assert events["FAILED"] == len(results["failed_sources"])
    assert lines[-2:] == [
        "INFO | === JOB COMPLETE === | Downloaded: 2 | Images: 2 | Videos: 0",
        "INFO | STATISTICS | Success: openverse | Failed: bing_images",
    ]
    text = Path("logs/download_errors.jsonl").read_text()
    data = [json.loads(line) for line in text.splitlines()]
    assert len(data) == len(lines)
    assert [each["file"] for each in data if each["event"] == "success"] == [
        item["file"] for item in found.items[:-1]
    ]
    assert data[-1]["failed"] == results["failed_sources"]


@pytest.mark.parametrize(
    ("sources", "key", "reason", "message"),
    [
        (["unsplash"], "", "no_key", "set the environment variable UNSPLASH_ACCESS_KEY"),
        (["unsplash"], "wrong", "invalid_key", "unsplash"),
        (["openverse"], "", "http_503", "HTTP 503"),
    ],
)
def test_a_job_in_which_no_source_works_fails_with_its_reason(
    sources: list[str], key: str, reason: str, message: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("UNSPLASH_ACCESS_KEY", key)
    with StandIn(sources[0]) as site:
        site.routes["/v1/images/"] = Answer(status=503)
        with pytest.raises(Permanent, match=message) as raised:
            asked([site], max_retries_per_source=["0"])
    assert raised.value.reason == reason


def test_files_of_a_source_that_failed_later_are_kept_and_returned():
    with StandIn("openverse", pictures=21) as site:
        answers = site.routes["/v1/images/"]
        assert callable(answers)
        site.routes["/v1/images/"] = lambda asked: (
            Answer(status=500) if "page=2" in asked.query else answers(asked)
        )
        found = asked([site], per_source=21, max_retries_per_source=["0"])
    results = job(found)["results"]
    assert results["total_downloaded"] == len(found.files) == 20
    assert results["failed_sources"] == ["openverse"]


def test_only_sources_that_have_what_is_wanted_are_asked_by_default(
    monkeypatch: pytest.MonkeyPatch,
):
    asked_for = []

    async def ask(self: Job, name: str) -> None:
        asked_for.append(name)
        self._ended[name] = Ended(stats=SourceStats())

    monkeypatch.setattr(Job, "_ask", ask)
    asked([], sources=[], kind="video", licence="public_domain")
    assert asked_for == ["wikimedia_commons", "internet_archive"]


@pytest.mark.slow
def test_requests_are_repeated_as_often_as_the_source_may_be(openverse: StandIn):
    answers = openverse.routes["/v1/images/"]
    assert callable(answers)
    openverse.routes["/v1/images/"] = lambda asked: (
        Answer(status=500) if asked.times == 1 else answers(asked)
    )
    found = asked([openverse], max_retries_per_source=["1"])
    assert job(found)["results"]["source_stats"]["openverse"] == stats(3)


def test_urls_are_downloaded_without_asking_anyone(openverse: StandIn):
    urls = [openverse.file(name) for name in openverse.pictures]
    found = asked([], {"urls": urls})
    assert job(found)["results"]["source_stats"] == {"direct": stats(3)}
    assert {name.partition("/")[0] for name in found.files} == {"direct"}
    assert openverse.queries == []
