"""`swather run subtitles` as a user gives it, with yt-dlp's own extractor, against the stand-in."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import swather.store
from bench.processes import family
from swather.model.task import State, Task
from swather.model.task_filter import TaskFilter
from tests.builtin.youtube.lists import GRID_PAGE, Channel
from tests.builtin.youtube.site import YouTube, serving, ytdl_options
from tests.builtin.youtube.videos import SCENARIOS
from tests.worker.conftest import either_url, sqlite_url
from tests.worker.given import wait_until

__all__ = ["either_url", "sqlite_url"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(150)]

PROGRAM = Path(sys.executable).with_name("swather")
PATIENCE_SECONDS = 60.0
# What becomes of a video whose trouble, if it passes, is over when it is asked for again.
ENDS = {
    **dict.fromkeys(("good", "auto", "busy", "hurried", "empty", "cut", "reset", "dropped"), "ok"),
    **dict.fromkeys(("limited", "bot", "captcha", "other", "down"), "blocked"),
    **dict.fromkeys(("premiere", "live"), "later"),
    **dict.fromkeys(("removed", "terminated", "gone"), "unavailable"),
    "age": "age_restricted",
    "private": "private",
    "members": "members_only",
    "drm": "drm",
    "geo": "geo_blocked",
    "silent": "no_subtitles",
    "changed": "layout_changed",
}


class Desk:
    """Where a user works: a folder with its files, a database, and the stand-in."""

    def __init__(self, folder: Path, url: str, site: YouTube) -> None:
        self.folder = folder
        self.url = url
        self.site = site

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        options = [f"--ytdl={option}" for option in ytdl_options(self.site.url)]
        return subprocess.Popen(
            [PROGRAM, "run", "subtitles", *arguments, *options, "--rate", "none", "--json",
             "--db", self.url],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def run(self, *arguments: str) -> dict[str, Any]:
        """What it says at its end, if all went well."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, out + err
        said: dict[str, Any] = json.loads(out)
        return said

    def tasks(self) -> list[Task]:
        with closing(swather.store.open(self.url)) as store:
            runs = store.runs.find(limit=1)
            return store.tasks.find(TaskFilter(run=runs[0].name), limit=1_000) if runs else []

    def files(self) -> dict[str, str]:
        """The videos whose subtitles are there, each with its file's text."""
        found = list((self.folder / "subtitles").glob("*.vtt"))
        texts = {path.name.partition("[")[2].partition("]")[0]: path.read_text() for path in found}
        assert len(texts) == len(found), "a video has two files"
        return texts


@pytest.fixture
def desk(either_url: str, tmp_path: Path) -> Iterator[Desk]:
    with serving(YouTube()) as site:
        yield Desk(tmp_path, either_url, site)


def kill(process: "subprocess.Popen[str]") -> None:
    """The command, its workers and their children, as kill -9 does it."""
    for pid in family(process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.communicate()


def test_a_channel_is_complete_after_two_kills_and_a_later_run_takes_only_new_videos(desk: Desk):
    count = 300 if desk.url.startswith("sqlite") else 60
    ids = [f"cats{number:07}" for number in range(count)]
    desk.site.lists.channels["cats"] = Channel(ids)
    command = ("@cats", "--concurrency", "2")

    process = desk.start(*command)
    wait_until(lambda: desk.site.count("browse") > 0, PATIENCE_SECONDS)
    kill(process)
    process = desk.start(*command)
    wait_until(lambda: desk.site.count("player") > count // 2, PATIENCE_SECONDS)
    kill(process)
    finished = [task.target["video"] for task in desk.tasks() if task.state is State.COMPLETED
                and isinstance(task.target, dict)]  # fmt: skip
    assert len(finished) > count // 3
    counts = desk.run(*command)["counts"]

    assert (counts["completed"], counts["items"], counts["files"]) == (count + 1, count, count)
    files = desk.files()
    assert files.keys() == set(ids)
    assert all(f"This is {video}." in text for video, text in files.items())
    lines = (desk.folder / "subtitles.jsonl").read_text().splitlines()
    assert Counter(json.loads(line)["video_id"] for line in lines) == Counter(ids)
    asked = [desk.site.count(kind, video) for video in finished for kind in ("player", "subtitles")]
    assert set(asked) == {1}, "a finished video was requested again"
    # The page that the first kill met and the one before it, and no other.
    assert desk.site.count("browse") <= (count - 1) // GRID_PAGE + 2

    new = ["news0000001", "news0000002"]
    desk.site.lists.channels["cats"] = Channel([*new, *ids])
    desk.site.asked.clear()
    counts = desk.run(*command, "--new")["counts"]
    assert (counts["completed"], counts["items"], counts["skipped"]) == (3, 2, count)
    assert {one.what for one in desk.site.asked if one.kind == "player"} == set(new)
    assert len(desk.files()) == count + 2


def test_every_class_of_error_is_told_by_a_real_run(sqlite_url: str, tmp_path: Path):
    assert ENDS.keys() == SCENARIOS.keys()
    # Each on a lane of its own: one that is blocked cools down.
    lines = [f"{name:0<11},{name}" for name in ENDS]
    (tmp_path / "videos.csv").write_text("\n".join(["video,lane", *lines]))
    with serving(YouTube()) as site:
        desk = Desk(tmp_path, sqlite_url, site)
        process = desk.start(
            "--targets", "videos.csv", "--column", "video", "--lane-column", "lane",
            "--concurrency", "3",
        )  # fmt: skip

        # Those that are blocked are tried again after a while, and succeed.
        seen: set[tuple[str, str | None]] = set()

        def all_seen() -> bool:
            seen.update((task.lane, task.reason or task.error_class) for task in desk.tasks())
            return set(ENDS.items()) <= seen

        try:
            wait_until(all_seen, PATIENCE_SECONDS)
        except AssertionError:
            kill(process)
            assert seen >= set(ENDS.items())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, out + err
    assert desk.files().keys() >= {f"{name:0<11}" for name, end in ENDS.items() if end == "ok"}
    refused = {f"{name:0<11}" for name, end in ENDS.items() if end not in {"ok", "blocked"}}
    assert not desk.files().keys() & refused
