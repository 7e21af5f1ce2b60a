"""100,000 targets, enqueued twice, on four workers of which one is killed and one stopped past its
lease and woken.
"""

import json
import signal
import subprocess
import threading
import time
from collections import Counter
from typing import Final

from faults.scenes.place import Place
from swather.runs.export import export

LEASE_SECONDS: Final = 5.0
TARGET_SECONDS: Final = 0.2
SLOTS: Final = 100
DRAIN_SECONDS: Final = 1_200.0
STOPS: Final = 4


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold."""
    urls = str(place.urls(targets))
    command = ["--targets", urls, "-p", f"seconds={TARGET_SECONDS}"]
    first, second = place.enqueue(*command), place.enqueue(*command)
    print(f"enqueued {first['enqueued']:,}, then {second['enqueued']:,}, into run {first['run']}")
    run = first["run"]
    options = ("--run", run, "--lease-seconds", str(LEASE_SECONDS), "--concurrency", str(SLOTS))
    workers = [place.worker(f"machine-{number}", *options) for number in range(4)]
    looks = Looks(place, run, targets)
    looks.start()
    began = time.monotonic()
    try:
        place.wait_for(run, lambda counts: counts.completed > targets // 5, DRAIN_SECONDS)
        workers[1].kill()
        print(f"killed one at {place.store.runs.counts(run).completed:,} completed")
        place.wait_for(run, lambda counts: counts.completed > targets * 2 // 5, DRAIN_SECONDS)
        woken_at = _stop_until_late(place, run, workers[2])
        place.wait_for(run, lambda counts: not counts.unfinished, DRAIN_SECONDS)
        seconds = time.monotonic() - began
        codes = [worker.wait(60) for worker in workers]
    finally:
        looks.stop()
        for worker in workers:
            worker.kill()
            worker.wait()
    print(f"drained in {seconds:.0f} s; the workers ended with {codes}")
    return [
        *_wrong_answers(first["enqueued"], second["enqueued"], first["run"] == second["run"]),
        *looks.wrong,
        *_wrong_end(place, run, targets, looks.count),
        *([] if woken_at < targets else ["it was woken after the end: nothing could be late"]),
        *([] if codes == [0, -9, 0, 0] else [f"the workers ended with {codes}"]),
    ]


def _stop_until_late(place: Place, run: str, worker: subprocess.Popen[bytes]) -> int:
    """Stop it past its lease, and again if it noticed first that its leases were gone: then it has
    written nothing late. How many targets were completed when it was woken.
    """
    woken_at = 0
    for _ in range(STOPS):
        worker.send_signal(signal.SIGSTOP)
        stopped_at = place.store.runs.counts(run).completed
        time.sleep(2 * LEASE_SECONDS)
        worker.send_signal(signal.SIGCONT)
        woken_at = place.store.runs.counts(run).completed
        print(f"stopped one at {stopped_at:,} completed and woke it at {woken_at:,}", flush=True)
        # What it writes late is refused within a moment.
        time.sleep(LEASE_SECONDS / 2)
        counts = place.store.runs.counts(run)
        if counts.stale or not counts.unfinished:
            break
    return woken_at


def _wrong_answers(first: int, second: int, is_same: bool) -> list[str]:
    found = []
    if second:
        found.append(f"the second time, {second:,} of {first:,} were new")
    if not is_same:
        found.append("the second time made another run")
    return found


def _wrong_end(place: Place, run: str, targets: int, looks: int) -> list[str]:
    store = place.store
    counts = store.runs.counts(run)
    path = place.folder / "results.jsonl"
    export(store, run, path)
    with path.open() as lines:
        items = Counter(json.loads(line)["url"] for line in lines)
    with (place.folder / "executed").open() as lines:
        executed = Counter(line.split()[0] for line in lines)
    again = sum(executed.values()) - len(executed)
    print(
        f"{looks:,} looks; {counts.completed:,} completed, {sum(items.values()):,} results of "
        f"{len(items):,} targets; {again:,} run again; {counts.stale:,} late writes refused"
    )
    wrong = store.upkeep.check()
    if (counts.completed, counts.failed, counts.total) != (targets, 0, targets):
        wrong.append(f"counts: {counts}")
    if len(items) != targets or sum(items.values()) != targets:
        wrong.append(f"{sum(items.values()):,} results of {len(items):,} targets")
    if len(executed) != targets:
        wrong.append(f"only {len(executed):,} targets were executed")
    if not counts.stale:
        wrong.append("the woken worker wrote nothing late, so no refusal was seen: hold it again")
    return wrong


class Looks(threading.Thread):
    """Looks at the counts again and again: each time they sum to the same."""

    def __init__(self, place: Place, run: str, targets: int) -> None:
        super().__init__(daemon=True)
        self._store = place.store.another()
        self._run = run
        self._targets = targets
        self._over = threading.Event()
        self.count = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        while not self._over.wait(0.1):
            counts = self._store.runs.counts(self._run)
            self.count += 1
            if counts.total != self._targets:
                self.wrong.append(f"look {self.count} saw {counts.total:,}: {counts}")
        self._store.close()

    def stop(self) -> None:
        self._over.set()
        self.join()
