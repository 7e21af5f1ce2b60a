"""Whole runs: what a later one publishes, and what the pace of a host leaves out."""

from pathlib import Path
from typing import Any

import pytest

import swather
from swather.builtin.media.scraper import media
from tests.builtin.media.given import params_of
from tests.builtin.media.stand_ins import StandIn
from tests.fake_s3 import FakeS3
from tests.worker.conftest import either_url, sqlite_url

__all__ = ["either_url", "sqlite_url"]

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def downloaded(site: StandIn, db: str, folder: str | Path = "downloads", **params: Any) -> int:
    """How many files a run says that it has downloaded."""
    *_, job = swather.run(
        media,
        ["cats: 1/2"],
        params=params_of([site], **params),
        db=db,
        files_folder=folder,
        new=True,
        progress=False,
    )
    total: int = job["results"]["total_downloaded"]
    return total


def published() -> list[Path]:
    return sorted(Path("downloads").glob("*/openverse/*"))


def test_a_later_run_publishes_only_what_is_not_there(either_url: str):
    with StandIn("openverse") as site:
        assert downloaded(site, either_url) == 3
        first = published()
        assert len(first) == 3
        assert downloaded(site, either_url) == 0
        first[0].unlink()
        assert downloaded(site, either_url) == 1
        assert published() == first


def test_a_bucket_is_looked_into_like_a_folder(sqlite_url: str, monkeypatch: pytest.MonkeyPatch):
    with StandIn("openverse") as site, FakeS3() as s3:
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        assert downloaded(site, sqlite_url, "s3://bucket/media") == 3
        first = s3.named()
        assert len(first) == 3
        assert downloaded(site, sqlite_url, "s3://bucket/media") == 0
        del s3.objects[next(iter(first))]
        assert downloaded(site, sqlite_url, "s3://bucket/media") == 1
        assert s3.named() == first


def test_jobs_beside_each_other_publish_a_file_once(sqlite_url: str, tmp_path: Path):
    with StandIn("openverse") as site:
        items = swather.run(
            media,
            [f"cats {number}" for number in range(8)],
            params=params_of([site]),
            db=sqlite_url,
            files_folder=tmp_path / "downloads",
            progress=False,
        )
        jobs = [item["results"] for item in items if item["type"] == "job"]
    assert (len(jobs), sum(job["total_downloaded"] for job in jobs)) == (8, 3)
    assert len(published()) == 3


def test_a_cached_answer_counts_only_while_its_files_are_there(sqlite_url: str):
    with StandIn("openverse") as site:
        assert downloaded(site, sqlite_url, cache="1d") == 3
        assert downloaded(site, sqlite_url, cache="1d") == 3
        assert len(site.queries) == 1
        for path in published():
            path.unlink()
        assert downloaded(site, sqlite_url, cache="1d") == 3
        assert len(site.queries) == 2
        assert len(published()) == 3


def test_files_that_the_pace_of_a_host_makes_late_are_said_to_be(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SWATHER_RATE", "2/s")
    with StandIn("openverse", pictures=8) as site:
        *files, job = swather.run(
            media,
            ["cats"],
            params=params_of([site], source_timeout=["2"]),
            db=sqlite_url,
            progress=False,
        )
    assert 0 < len(files) < 8
    assert "too late at the pace of the host (--rate)" in job["cut"]["openverse"]
    assert job["unused_files"]["openverse"]["paced"] > 0
