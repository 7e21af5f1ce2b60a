"""Ten sources at once, eight of which behave as badly as sites do."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from math import ceil
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

import swather
import swather.store
from swather.builtin.media.scraper import media
from swather.builtin.media.sources import registry
from swather.testing import Answer
from tests.builtin.media.stand_ins import (
    KEY,
    LAYOUTS,
    StandIn,
    all_ten,
    drip,
    hang,
    never_end,
    picture,
    truncate,
)
from tests.worker.conftest import either_url, sqlite_url

__all__ = ["either_url", "sqlite_url"]

pytestmark = pytest.mark.slow
SECONDS = 3.0
AT_ONCE = 5
GOOD = ("openverse", "wikimedia_commons")
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \| (INFO|WARNING|ERROR) \| (.+)")


def spoil_search(site: StandIn, path: str, how: Any) -> None:
    if isinstance(how, Answer):
        site.routes[path] = how
    else:
        site.misbehaving[path] = how


def spoil_files(site: StandIn, how: Any, *, after: int = 0) -> None:
    """All files of a site, or those after the first few."""
    for name in site.pictures[after:]:
        spoil_search(site, f"/files/{name}", how)


HTML = Answer("<html><h1>Please log in</h1></html>", headers={"Content-Type": "image/jpeg"})
LIE = Answer(picture("lie", "PNG"), headers={"Content-Type": "image/jpeg"})
# How each behaves, and how it ends: downloaded files, and the beginning of the error.
BAD: dict[str, tuple[Callable[[StandIn], None], int, str]] = {
    "internet_archive": (
        lambda site: spoil_search(site, "/advancedsearch.php", hang), 0, "Timeout after 3s"),
    "unsplash": (lambda site: spoil_files(site, drip, after=1), 1, "Timeout after 3s"),
    "pexels": (lambda site: spoil_search(site, "/v1/search", never_end), 0, "Timeout after 3s"),
    "pixabay": (
        lambda site: spoil_search(site, "/api/", Answer("slow down", 429, {"Retry-After": "60"})),
        0, "HTTP 429"),
    "flickr": (lambda site: spoil_files(site, HTML), 0, "files could be used: it is HTML"),
    "bing_images": (lambda site: spoil_files(site, truncate), 0, "none of 3 files could be used"),
    "google_images": (
        lambda site: spoil_search(site, "/search", Answer("", 302, {"Location": "/search"})),
        0, "redirects more than"),
    "yandex_images": (
        lambda site: spoil_files(site, LIE), 0, "none of 3 files could be used: it is image/png"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in LAYOUTS:
        if key_name := registry.source_named(name).key_name:
            monkeypatch.setenv(key_name, KEY)


@pytest.fixture
def ten() -> Iterator[dict[str, StandIn]]:
    with all_ten() as sites:
        for name, (spoil, _, _) in BAD.items():
            spoil(sites[name])
        yield sites


def run(sites: dict[str, StandIn], db: str, *targets: Any, **params: Any) -> list[dict[str, Any]]:
    """The items of a run over these sources."""
    given = {
        "sources": list(sites),
        "source_url": {name: site.url for name, site in sites.items()},
        "max_concurrent_sources": AT_ONCE,
        **params,
    }
    folder = Path("downloads").absolute()
    return list(
        swather.run(
            media,
            targets or ["cats"],
            params=given,
            db=db,
            files_folder=folder,
            new=True,
            progress=False,
        )
    )


def log() -> list[str]:
    """The messages of the log, each of which is a line of the format."""
    lines = Path("logs/download_errors.log").read_text().splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found), lines
    return [match[2] for match in found if match]


def test_eight_bad_sources_of_ten_take_nothing_from_the_good_ones(
    ten: dict[str, StandIn], either_url: str
):
    # The good ones may be slow here: other tests want the processor, too.
    seconds = [str(SECONDS), *(f"{name}=30" for name in GOOD)]
    *files, job = run(ten, either_url, source_timeout=seconds)
    results = job["results"]
    assert job["seconds"] < ceil(len(ten) / AT_ONCE) * SECONDS + 1
    expected = dict.fromkeys(GOOD, (3, None))
    expected |= {name: (count, error) for name, (_, count, error) in BAD.items()}
    for name, (count, error) in expected.items():
        stats = results["source_stats"][name]
        assert (stats["downloaded"], stats["success"]) == (count, error is None), stats
        assert (error or "None") in str(stats["error"])
    assert set(results["source_stats"]) == set(ten)
    assert results["successful_sources"] == list(GOOD)
    assert set(results["failed_sources"]) == set(BAD)

    by_source = Counter(item["source"] for item in files)
    assert by_source == {"openverse": 3, "wikimedia_commons": 3, "unsplash": 1}
    assert results["total_downloaded"] == results["images"] == len(files) == 7
    for name, option in (
        ("internet_archive", "--source-timeout"),
        ("unsplash", "--source-timeout"),
    ):
        assert option in job["cut"][name]

    kept = {path.read_bytes() for path in Path("downloads/cats").rglob("*.*")}
    whole = {picture(name) for site in GOOD for name in ten[site].pictures}
    assert kept == whole | {picture(ten["unsplash"].pictures[0])}
    assert ten["unsplash"].announced == ten["unsplash"].pictures[:1]
    check_log(job, files)
    with closing(swather.store.open(either_url)) as store:
        counted = store.sources.find(since_seconds=3_600, scraper="media")
    assert {one.source: (one.succeeded, one.failed, one.counts["images"]) for one in counted} == {
        name: (stats["success"], not stats["success"], stats["images"])
        for name, stats in results["source_stats"].items()
    }


def check_log(job: dict[str, Any], files: list[dict[str, Any]]) -> None:
    """The log of one job says what its results say, line by line."""
    first, *middle, complete, statistics = log()
    results = job["results"]
    assert first.startswith("=== JOB START === | Job ID: ")
    assert re.search(r"\| Query: cats \| Sources: \[.+\]$", first)
    succeeded = [line for line in middle if line.startswith("SUCCESS: ")]
    assert sorted(succeeded) == sorted(
        line
        for item in files
        for line in succeeded
        if line.startswith(
            f"SUCCESS: {item['source']} | File: {item['file']} | Size: {item['size_bytes']} bytes"
        )
    )
    assert len(succeeded) == len(files)
    for name, stats in results["source_stats"].items():
        own = [line for line in middle if line.split(" | ")[1:2] == [name]]
        assert len(own) == 1
        words, *_ = own[0].split(" | ")
        assert words == (
            "COMPLETED" if stats["success"] else
            "TIMEOUT" if stats["error"].startswith("Timeout") else "FAILED"
        )  # fmt: skip
        told = stats["error"] or f"Downloaded: {stats['downloaded']}"
        assert told.replace("|", "¦")[:200] in own[0]
    total, images = results["total_downloaded"], results["images"]
    assert complete == f"=== JOB COMPLETE === | Downloaded: {total} | Images: {images} | Videos: 0"
    worked, failed = results["successful_sources"], results["failed_sources"]
    assert statistics == f"STATISTICS | Success: {', '.join(worked)} | Failed: {', '.join(failed)}"
    lines = Path("logs/download_errors.jsonl").read_text().splitlines()
    assert len(lines) == len(log())
    events = Counter(json.loads(line)["event"] for line in lines)
    assert events["success"] == total


def test_a_second_run_asks_no_source_whose_answer_is_cached(either_url: str):
    with all_ten() as sites:
        sites["flickr"].routes["/services/rest/"] = Answer("broken", 500)
        *files, first = run(sites, either_url, cache="1d", max_retries_per_source=["0"])
        asked = {name: site.requests.total() for name, site in sites.items()}
        *again, second = run(sites, either_url, cache="1d", max_retries_per_source=["0"])
        asked_again = {name: site.requests.total() for name, site in sites.items()}
    assert len(files) == 27
    assert {name for name in sites if asked_again[name] > asked[name]} == {"flickr"}
    assert set(second["cached_sources"]) == set(sites) - {"flickr"}
    assert second["results"]["source_stats"] == first["results"]["source_stats"]
    assert {item["file"] for item in again} == {item["file"] for item in files}


def test_another_query_or_an_older_answer_is_asked_for(sqlite_url: str):
    with StandIn("openverse") as site:
        sites = {"openverse": site}
        run(sites, sqlite_url, "cats", cache="1d")
        run(sites, sqlite_url, "dogs", cache="1d")
        run(sites, sqlite_url, "cats", cache="1d", min_width=10)
        assert len(site.queries) == 3
        run(sites, sqlite_url, "cats")
        assert len(site.queries) == 4


def test_sources_that_all_hang_hold_a_job_for_no_longer_than_its_bound(sqlite_url: str):
    with all_ten() as sites:
        for site in list(sites.values())[1:]:
            site.misbehaving = dict.fromkeys(site.routes, hang)
        *files, job = run(sites, sqlite_url, source_timeout=["1"])
    assert job["seconds"] < ceil(len(sites) / AT_ONCE) * 1.0 + 1
    assert len(files) == 3
    assert len(job["results"]["failed_sources"]) == 9
    assert {cut.partition(",")[0] for cut in job["cut"].values()} == {"stopped after 1 s"}


def let_an_hour_pass(url: str) -> None:
    """For the breakers of sources: they open for a minute at first, and for an hour at most."""
    if url.startswith("sqlite:///"):
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as database:
            database.execute("UPDATE source_breakers SET open_until = open_until - 3600")
    else:
        with psycopg.connect(url) as server:
            server.execute(
                "UPDATE swather.source_breakers SET open_until = open_until - interval '1 hour'"
            )


def test_a_source_that_keeps_failing_is_skipped_and_tried_again_later(either_url: str):
    with StandIn("openverse") as good, StandIn("flickr") as bad:
        sites = {"openverse": good, "flickr": bad}
        search = bad.routes["/services/rest/"]
        bad.routes["/services/rest/"] = Answer("broken", 500)

        def ask() -> tuple[dict[str, Any], int]:
            before = bad.requests.total()
            *_, job = run(sites, either_url, duplicates="keep", max_retries_per_source=["0"])
            assert "openverse" in job["results"]["successful_sources"]
            return job, bad.requests.total() - before

        assert [ask()[1] for _ in range(3)] == [1, 1, 1]
        job, asked = ask()
        assert (job["skipped_sources"], asked) == (["flickr"], 0)
        assert job["results"]["failed_sources"] == ["flickr"]
        assert "HTTP 500" in job["results"]["source_stats"]["flickr"]["error"]
        assert sum(line.startswith("SKIPPED | flickr | ") for line in log()) == 1

        let_an_hour_pass(either_url)
        assert [ask()[1] for _ in range(2)] == [1, 0]
        let_an_hour_pass(either_url)
        bad.routes["/services/rest/"] = search
        job, _ = ask()
        assert job["results"]["source_stats"]["flickr"]["downloaded"] == 3
        assert ask()[0]["results"]["failed_sources"] == []
