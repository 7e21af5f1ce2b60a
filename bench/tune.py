"""Looks for the number of slots at which each queue is fastest: `python -m bench.tune [NAME…]`.

What it found is what the drivers use. Jobs that do nothing, one worker process.
"""

import sys
from collections.abc import Iterable

from bench import environment, jobs, tally
from bench.parts.drain import wait_for
from bench.queues import QUEUES, Queue
from bench.setting import Setting, Size
from bench.workers import folder

SLOTS: dict[str, Iterable[int | None]] = {
    "Swather": (10, 50, 100, 200, 500),
    "PgQueuer": (10, 100, 1_000, 3_000),
    "Procrastinate": (1, 10, 30),
    "SAQ": (5, 20, 100),
    "Huey": (1, 2, 4, 8),
    # None is the solo pool; a number is so many threads.
    "Celery": (None, 1, 4, 10),
    "Dramatiq": (8, 16, 32, 64),
}
REPEATS = 3


def main() -> None:
    environment.prepare()
    setting = Setting(Size.SMALL, REPEATS, tuple(sys.argv[1:]))
    with setting.stack:
        for queue in QUEUES:
            if setting.wants(queue.who) and not queue.variant:
                for slots in SLOTS.get(queue.name, ()):
                    rates = [rate(setting, queue, slots) for _ in range(REPEATS)]
                    shown = ", ".join(f"{one:,.0f}" for one in sorted(rates))
                    print(f"{queue.who}, {slots} slots: {shown} jobs/s", flush=True)


def rate(setting: Setting, queue: Queue, slots: int | None) -> float:
    count = queue.jobs // 2
    with queue.fresh(setting) as url, folder() as directory:
        queue.ask("enqueue", url=url, kind=jobs.NOTHING, count=count)
        with queue.workers(directory, url=url, slots=slots) as workers:
            wait_for(count, workers, directory)
        return tally.read_counts(directory).rate


if __name__ == "__main__":
    main()
