"""A schedule that is due every minute, and three workers that fire it, of which two are killed: one
while it loads a run, if it can be caught at it.
"""

import time
from datetime import timedelta
from typing import Final

from faults.scenes.place import Place
from swather.model.run import RunState
from swather.model.schedule import FiringState, NewSchedule, Overlap, next_time

NAME: Final = "shelf"
TARGETS: Final = 500
END_SECONDS: Final = 120.0


def hold(place: Place, times: int) -> list[str]:
    """What did not hold, for so many due times."""
    schedules = place.store.schedules
    urls = tuple(f"https://shelf.example/book/{number}" for number in range(TARGETS))
    new = NewSchedule(
        name=NAME, scraper="shelf", cron="* * * * *", overlap=Overlap.BOTH, targets=urls
    )
    first = schedules.add(new, next_time(new.cron, new.timezone, schedules.now())).next_at
    workers = [place.worker(f"machine-{number}", "--forever") for number in range(3)]
    try:
        for number in range(times):
            _wait_for_firing(place, number + 1, caught=number == times // 3)
            if number == times // 3:
                # Whoever loads it is one of the first two, two times of three.
                (newest,) = schedules.firings(limit=1)
                print(f"killed one at time {number + 1}; its run is {newest.state}", flush=True)
                workers[0].kill()
            elif number == times * 2 // 3:
                time.sleep(20)
                print(f"killed another after time {number + 1}", flush=True)
                workers[1].kill()
        schedules.disable(NAME)
        _wait_for_ends(place)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return _wrong_end(place, first, times)


def _wait_for_firing(place: Place, count: int, *, caught: bool) -> None:
    """Asked often, where it shall be caught before its targets are loaded."""
    deadline = time.monotonic() + 90
    while len(place.store.schedules.firings(limit=count + 1)) < count:
        if time.monotonic() > deadline:
            raise RuntimeError(f"there are fewer than {count} firings")
        time.sleep(0.001 if caught else 0.1)


def _wait_for_ends(place: Place) -> None:
    deadline = time.monotonic() + END_SECONDS
    while place.store.runs.find(state=RunState.OPEN):
        if time.monotonic() > deadline:
            raise RuntimeError("runs are still open")
        time.sleep(0.1)


def _wrong_end(place: Place, first: object, times: int) -> list[str]:
    firings = list(reversed(place.store.schedules.firings(limit=1_000)))
    runs = place.store.runs.find(limit=1_000)
    counts = [place.store.runs.counts(run.name) for run in runs]
    completed = sum(each.completed for each in counts)
    print(
        f"{len(firings)} firings, {len(runs)} runs, {completed:,} targets; loaded in "
        f"{[each.attempts for each in firings]} attempts"
    )
    wrong = place.store.upkeep.check()
    due = [firing.due_at for firing in firings]
    if due != [due[0] + timedelta(minutes=number) for number in range(times)] or due[0] != first:
        wrong.append(f"due times: {due}")
    if len(runs) != times or {firing.run for firing in firings} != {run.name for run in runs}:
        wrong.append(f"{len(runs)} runs for {times} due times")
    if any(firing.state is not FiringState.ENDED or firing.missed for firing in firings):
        wrong.append(f"firings: {firings}")
    wrong += [
        f"{run.name}: {each}"
        for run, each in zip(runs, counts, strict=True)
        if each.completed != TARGETS or each.total != TARGETS
    ]
    return wrong
