"""Subtitles through yt-dlp, from a stand-in for YouTube that answers after 200 ms: one worker and
five, each with one child process; and what a worker and its child take over many videos.
"""

import json
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.request import urlopen

from bench import driver
from bench.environment import OURS
from bench.figures import Figure
from bench.processes import family, memory_mb
from bench.queues import QUEUES, Queue
from bench.setting import Contender, Setting, in_turns
from bench.workers import folder
from tests.builtin.youtube.site import ytdl_options

ANSWER_SECONDS = 0.2
WORKERS = (1, 5)
LOOK_SECONDS = 0.5


def measure(setting: Setting) -> list[Figure]:
    ours = [queue for queue in QUEUES if queue.kind == "ours"]
    speed = [Contender(queue.who, "ours", partial(_speed, setting, queue)) for queue in ours]
    memory = [Contender(queue.who, "ours", partial(_memory, setting, queue)) for queue in ours]
    return [*in_turns(setting, speed), *in_turns(setting, memory, repeats=1)]


def _speed(setting: Setting, queue: Queue) -> dict[tuple[str, str], float]:
    seconds = setting.pick(5, 15, 60)
    values = {}
    for workers in WORKERS:
        videos = int(workers * seconds / (2 * ANSWER_SECONDS))
        with queue.fresh(setting) as url, folder() as directory, _site(ANSWER_SECONDS) as site:
            with _run(directory, url, site, videos, workers) as process:
                process.wait(timeout=600)
            values[_work(workers), "videos/s"] = _rate(site, videos)
    return values


def _memory(setting: Setting, queue: Queue) -> dict[tuple[str, str], float]:
    videos = setting.pick(200, 2_000)
    seen: list[float] = []
    with queue.fresh(setting) as url, folder() as directory, _site(0.0) as site:
        with _run(directory, url, site, videos, 1) as process:
            while process.poll() is None:
                seen.append(sum(map(_memory_of, family(process.pid))))
                time.sleep(LOOK_SECONDS)
        _rate(site, videos)
    fifth = max(len(seen) // 5, 1)
    rise = statistics.median(seen[-fifth:]) - statistics.median(seen[fifth : 2 * fifth] or seen)
    return {
        (f"subtitles of {videos:,} videos: peak", "MB"): max(seen),
        (f"subtitles of {videos:,} videos: last fifth over second", "MB"): rise,
    }


def _work(workers: int) -> str:
    return "subtitles, 1 worker" if workers == 1 else f"subtitles, {workers} workers"


@contextmanager
def _site(seconds: float) -> Iterator[str]:
    command = [OURS, "-m", "tests.builtin.youtube", "--seconds", str(seconds)]
    with subprocess.Popen(command, cwd=driver.ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@contextmanager
def _run(
    directory: Path, url: str, site: str, videos: int, workers: int
) -> Iterator[subprocess.Popen[bytes]]:
    """The command as a user gives it, in a session of its own."""
    targets = directory / "videos.txt"
    targets.write_text("".join(f"good{number:07}\n" for number in range(videos)))
    options = [f"--ytdl={option}" for option in ytdl_options(site)]
    command = [
        OURS.with_name("swather"), "run", "subtitles", "--targets", targets, "--db", url,
        "--rate", "none", "--workers", str(workers), "--concurrency", "1", *options,
    ]  # fmt: skip
    with (directory / "log").open("wb") as log, subprocess.Popen(
        command, cwd=directory, env=driver.environment(), stdin=subprocess.DEVNULL, stdout=log,
        stderr=log, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
    if process.returncode:
        raise RuntimeError(f"swather ended with {process.returncode}: {_said(directory)}")


def _said(directory: Path) -> str:
    return (directory / "log").read_text(errors="replace")[-3_000:]


def _rate(site: str, videos: int) -> float:
    """Of the three fifths in the middle: before, some workers start, and after, some have ended."""
    with urlopen(f"{site}/pace") as answer:  # noqa: S310 - our own stand-in
        played_at = json.load(answer)["played_at"]
    if len(played_at) != videos:
        raise RuntimeError(f"{len(played_at)} videos were asked for, not {videos}")
    middle = played_at[videos // 5 : -(videos // 5)]
    return (len(middle) - 1) / (middle[-1] - middle[0])


def _memory_of(pid: int) -> float:
    with suppress(OSError):
        return memory_mb(pid)
    return 0.0
