"""What a worker costs that has nothing to do, in per cent of a core. All idle beside each other."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from bench import jobs
from bench.figures import Figure
from bench.parts.drain import wait_for
from bench.processes import cpu_seconds
from bench.queues import QUEUES, Queue
from bench.setting import Setting, say
from bench.workers import Workers, folder

SETTLE_SECONDS = 5.0
WORK = "idle worker"


def measure(setting: Setting) -> list[Figure]:
    seconds = setting.pick(5, 10, 60)
    with ExitStack() as stack:
        wanted = [one for one in QUEUES if not one.variant and setting.wants(one.who)]
        _ = setting.postgres
        with ThreadPoolExecutor() as pool:
            started = {queue: pool.submit(_start, setting, queue, stack) for queue in wanted}
        idle = {}
        for queue, future in started.items():
            try:
                idle[queue] = future.result()
            except Exception as error:  # noqa: BLE001 - the others still have figures to give
                say(f"  {queue.who} failed: {error}")
        time.sleep(SETTLE_SECONDS)
        taken: dict[Queue, list[float]] = {queue: [] for queue in idle}
        for _ in range(setting.repeats):
            before = {queue: cpu_seconds(workers.pids) for queue, workers in idle.items()}
            time.sleep(seconds)
            for queue, workers in idle.items():
                spent = cpu_seconds(workers.pids) - before[queue]
                taken[queue].append(100 * spent / seconds)
    for queue, values in taken.items():
        say(f"  {queue.who}: {values}")
    return [
        Figure(WORK, queue.who, queue.kind, "% of a core", tuple(values))
        for queue, values in taken.items()
    ]


def _start(setting: Setting, queue: Queue, stack: ExitStack) -> Workers:
    """A worker that has done one job and waits for more."""
    url = stack.enter_context(queue.fresh(setting))
    directory = stack.enter_context(folder())
    queue.ask("enqueue", url=url, kind=jobs.NOTHING, count=1)
    workers = stack.enter_context(queue.workers(directory, url=url, slots=10))
    wait_for(1, workers, directory)
    return workers
