"""A kill -9 in the middle of 100 jobs: how many of them are not finished a minute after a restart.

Twice for each contender: as it comes, and with what its documentation has for recovery, which is
then given three minutes. Nothing is timed here, so all of them run beside each other.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench import jobs, tally
from bench.environment import PEERS
from bench.figures import Figure, Kind
from bench.queues import QUEUES, Queue
from bench.setting import Setting, say
from bench.workers import Workers, folder

JOBS = 100
# A crawl of a hundred pages would fit into the buffers of its files, which is not what crawls do.
PAGES = 500
SLOTS = 10
KILL_AFTER = 0.25
PATIENCE_SECONDS = {False: 60.0, True: 180.0}
START_SECONDS = 180.0
# Half-way through jobs of half a second: what ended before has been reported by then.
MIDDLE_SECONDS = 0.25
AT_A_TIME = 24
WORK = "unfinished after kill -9"
TWICE = "done twice after kill -9"
DEFAULT, RECOVER = "default settings", "set up for recovery"

Starter = Callable[[Path], Workers]
Trial = Callable[[], tuple[float, float]]


def measure(setting: Setting) -> list[Figure]:
    _ = setting.postgres, setting.site
    found: dict[tuple[str, str, Kind], list[tuple[float, float]]] = {}
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        repeats = setting.pick(1, 1, 3)
        trials = [trial for trial in _trials(setting) if setting.wants(trial[0])] * repeats
        running = [(who, how, kind, pool.submit(trial)) for who, how, kind, trial in trials]
        for who, how, kind, future in running:
            try:
                unfinished, twice = future.result()
            except Exception as error:  # noqa: BLE001 - the others still have figures to give
                say(f"  {who}, {how} failed: {error}")
                continue
            say(f"  {who}, {how}: {unfinished:g} unfinished, {twice:g} done twice")
            found.setdefault((who, how, kind), []).append((unfinished, twice))
    return [
        Figure(f"{work}, {how}", who, kind, f"of {JOBS}", tuple(one[at] for one in held))
        for (who, how, kind), held in found.items()
        for at, work in enumerate((WORK, TWICE))
    ]


def _trials(setting: Setting) -> Iterator[tuple[str, str, Kind, Trial]]:
    for how in (DEFAULT, RECOVER):
        for queue in QUEUES:
            if not queue.variant and (how == DEFAULT or queue.recovers):
                yield queue.who, how, queue.kind, partial(_queue, setting, queue, how == RECOVER)
    for name, note in (("scrapy", "JOBDIR"), ("crawlee", "SQL storage")):
        trial = partial(_crawler, setting, name)
        yield f"{name.capitalize()}, {note}", DEFAULT, "peer", trial


def _queue(setting: Setting, queue: Queue, recover: bool) -> tuple[float, float]:
    # A worker of RQ does one job at a time; the others have slots.
    processes, slots = (SLOTS, 1) if queue.name == "RQ" else (1, SLOTS)
    enqueue = {"recover": recover} if queue.recovers == "jobs" else {}
    with queue.fresh(setting) as url, folder() as directory:
        queue.ask("enqueue", url=url, kind=jobs.WAIT, count=JOBS, **enqueue)
        start = partial(queue.workers, processes=processes, url=url, slots=slots, recover=recover)
        return _killed(start, directory, PATIENCE_SECONDS[recover])


def _crawler(setting: Setting, name: str) -> tuple[float, float]:
    with folder() as directory:
        given = {"urls": f"{setting.site}/slow/", "count": PAGES, "at_once": SLOTS}
        given |= {"keep": str(directory / "crawl")}

        def start(directory: Path) -> Workers:
            return Workers(PEERS, f"bench.peers.{name}", directory, verb="crawl", **given)

        unfinished, twice = _killed(start, directory, PATIENCE_SECONDS[False], PAGES)
    return unfinished * JOBS / PAGES, twice * JOBS / PAGES


def _killed(
    start: Starter, directory: Path, patience_seconds: float, count: int = JOBS
) -> tuple[float, float]:
    """How many are unfinished some time after the restart, and how many were done twice."""
    first = start(directory)
    _wait(directory, lambda done: len(done) >= count * KILL_AFTER, START_SECONDS)
    if len(_done(directory)) < count * KILL_AFTER:
        first.kill()
        said = (directory / "log").read_text(errors="replace")[-2000:]
        raise RuntimeError(
            f"{len(_done(directory))} jobs were done in {START_SECONDS:.0f} s:\n{said}"
        )
    time.sleep(MIDDLE_SECONDS)
    first.kill()
    before = len(_done(directory))
    with start(directory) as second:
        # The minute begins with the first sign of life: processes may be slow to start.
        _wait(directory, lambda done: len(done) > before or second.have_ended(), START_SECONDS)
        _wait(
            directory,
            lambda done: len(set(done)) >= count or second.have_ended(),
            patience_seconds,
        )
        done = _done(directory)
    return count - len(set(done)), len(done) - len(set(done))


def _wait(directory: Path, holds: Callable[[list[str]], bool], seconds: float) -> None:
    give_up_at = time.monotonic() + seconds
    while not holds(_done(directory)) and time.monotonic() < give_up_at:
        time.sleep(0.1)


def _done(directory: Path) -> list[str]:
    return tally.read_marks(directory, "done")
