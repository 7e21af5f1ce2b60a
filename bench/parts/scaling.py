"""One to eight workers of 10 slots on pages of 200 ms: 50 pages a second for each, at best."""

from collections.abc import Iterator
from functools import partial

from bench import tally
from bench.figures import Figure
from bench.parts.drain import wait_for
from bench.queues import QUEUES, Queue
from bench.servers.nginx import SLOW_SECONDS
from bench.setting import Contender, Setting, Size, in_turns
from bench.workers import folder

SLOTS = 10
WORKERS = (1, 2, 4, 8)


def measure(setting: Setting) -> list[Figure]:
    return in_turns(setting, _contenders(setting))


def _contenders(setting: Setting) -> Iterator[Contender]:
    for queue in QUEUES:
        if queue.kind == "ours":
            yield Contender(queue.who, "ours", partial(_queue, setting, queue))


def _queue(setting: Setting, queue: Queue) -> dict[tuple[str, str], float]:
    seconds = setting.pick(2, 4, 15)
    values = {}
    for count in WORKERS if setting.size is Size.FULL else (WORKERS[0], WORKERS[-1]):
        pages = int(count * SLOTS / SLOW_SECONDS * seconds)
        with queue.fresh(setting) as url, folder() as directory:
            queue.ask("enqueue_pages", url=url, urls=f"{setting.site}/slow/", count=pages)
            with queue.workers(directory, count, url=url, slots=SLOTS) as workers:
                wait_for(pages, workers, directory)
                rate = tally.read_counts(directory).rate
        name = "1 worker" if count == 1 else f"{count} workers"
        values[f"{name} of {SLOTS} slots", "pages/s"] = rate
    return values
