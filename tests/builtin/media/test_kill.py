"""A worker that is killed in the middle of a job: only its other sources are asked again."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import swather.store
from tests.builtin.media.given import params_of
from tests.builtin.media.stand_ins import StandIn, hang, picture
from tests.worker.conftest import either_url, sqlite_url
from tests.worker.given import wait_until

__all__ = ["either_url", "sqlite_url"]

pytestmark = pytest.mark.slow
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def begin(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "swather.cli", *arguments]
        started.append(subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_a_killed_job_asks_only_the_sources_that_were_not_finished(
    either_url: str, tmp_path: Path, start: Start
):
    with StandIn("openverse") as openverse, StandIn("bing_images") as bing:
        bing.misbehaving["/images/async"] = hang
        params = params_of([openverse, bing])
        options = [f"--sources={','.join(params['sources'])}"]
        options += [f"--source-url={name}={url}" for name, url in params["source_url"].items()]
        assert start("enqueue", "media", "cats", *options, "--db", either_url).wait(30) == 0
        log = tmp_path / "logs/download_errors.log"
        first = start("worker", "--db", either_url)
        wait_until(lambda: log.exists() and "COMPLETED | openverse" in log.read_text())
        first.kill()
        first.wait()
        bing.misbehaving.clear()
        assert start("worker", "--db", either_url).wait(60) == 0
        assert len(openverse.queries) == 1
        published = (tmp_path / "downloads/cats").glob("*/*")
        assert sorted(path.read_bytes() for path in published) == sorted(
            picture(name) for name in openverse.pictures + bing.pictures
        )
    store = swather.store.open(either_url)
    (run,) = store.runs.find()
    assert store.runs.counts(run.name).items == 7
    store.close()
    assert "=== JOB RESUME ===" in log.read_text()
    assert log.read_text().count("COMPLETED | openverse") == 1
