"""From the enqueue of one job to its start in an idle worker."""

import statistics
import time
from collections.abc import Iterator
from functools import partial

from bench import jobs, tally
from bench.figures import Figure
from bench.parts.drain import wait_for
from bench.queues import QUEUES, Queue
from bench.setting import Contender, Setting, in_turns
from bench.workers import folder

IDLE_SECONDS = 0.5
# All others are told.
POLLS = {who: {"poll_seconds": 0.01} for who in ("Huey, SQLite", "Dramatiq, Redis")}


def measure(setting: Setting) -> list[Figure]:
    return in_turns(setting, _contenders(setting))


def _contenders(setting: Setting) -> Iterator[Contender]:
    for queue in QUEUES:
        if not queue.variant:
            yield Contender(queue.who, queue.kind, partial(_queue, setting, queue))


def _queue(setting: Setting, queue: Queue) -> dict[tuple[str, str], float]:
    count = setting.pick(30, 50, 500)
    with queue.fresh(setting) as url, folder() as directory:
        # A job that is there already says when the worker is.
        queue.ask("enqueue", url=url, kind=jobs.NOTHING, count=1)
        with queue.workers(directory, url=url, **POLLS.get(queue.who, {})) as workers:
            wait_for(1, workers, directory)
            time.sleep(IDLE_SECONDS)
            times = queue.ask("one_by_one", url=url, count=count)["times"]
            began = _starts(directory, count)
    from_call = [(began[number] - begun) / 1e6 for number, begun, _ in times]
    from_return = [(began[number] - returned) / 1e6 for number, _, returned in times]
    cuts = statistics.quantiles(from_call, n=100, method="inclusive")
    return {
        ("enqueue to start, p50", "ms"): cuts[49],
        ("enqueue to start, p99", "ms"): cuts[98],
        ("after the enqueue came back, p50", "ms"): max(statistics.median(from_return), 0.0),
    }


def _starts(directory, count: int) -> dict[int, int]:
    """When each job was begun, once all were."""
    give_up_at = time.monotonic() + 20.0
    while len(lines := tally.read_marks(directory, "began")) < count:
        if time.monotonic() > give_up_at:
            raise RuntimeError(f"{len(lines)} of {count} were begun")
        time.sleep(0.02)
    return {int(number): int(at) for number, _, at in (line.partition(" ") for line in lines)}
