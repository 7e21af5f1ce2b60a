"""How a database stands at this moment, as gauges."""

from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import msgspec

from swather.api.metrics_proxies import ProxyCounts
from swather.api.metrics_rising import Labels, numbers_of
from swather.errors import NotFound
from swather.model.lane import Breaker, Lane, PacedKind
from swather.model.proxy import ProxyState
from swather.model.run import Counts
from swather.model.schedule import Schedule
from swather.model.supervisor import SupervisorRow
from swather.model.task import State
from swather.model.totals import ScraperTotals
from swather.model.worker import Worker, WorkerKind, WorkerState
from swather.store import Store
from swather.worker.exposition import Page
from swather.worker.waits import by_wait

# How many are looked at.
MAX_LANES: Final = 1_000
MAX_WORKERS: Final = 2_000
# The newest are looked at even if they have ended: some come and go between two scrapes.
MAX_ENDED_WORKERS: Final = 200
MAX_SUPERVISORS: Final = 50
LATE_SECONDS: Final = 60.0
WORKER_STATES: Final = ("busy", "idle", "paused", "silent")
SEAT_STATES: Final = ("running", "waiting", "stopping", "crashed too often", "over")


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """All that one scrape reads. `all_workers` are also those that have ended lately."""

    now: datetime
    totals: list[ScraperTotals]
    all_workers: list[Worker]
    supervisors: list[SupervisorRow]
    lanes: list[Lane]
    breakers: list[Breaker]
    proxies: dict[ProxyState, int]
    schedules: list[Schedule]

    @property
    def workers(self) -> list[Worker]:
        return [each for each in self.all_workers if each.state is WorkerState.LIVE]


def seen(store: Store, proxies: ProxyCounts, lived: Collection[int] = ()) -> Seen:
    """`lived`: workers to look at once more if they have ended, for what they said last."""
    workers = {
        each.id: each
        for each in (
            *store.workers.find(live=False, limit=MAX_ENDED_WORKERS),
            *store.workers.find(limit=MAX_WORKERS),
        )
    }
    for ended in set(lived) - workers.keys():
        with suppress(NotFound):
            workers[ended] = store.workers.get(ended)
    return Seen(
        now=store.schedules.now(),
        totals=store.runs.totals(),
        all_workers=list(workers.values()),
        supervisors=store.supervisors.find(limit=MAX_SUPERVISORS),
        lanes=store.lanes.find(limit=MAX_LANES),
        breakers=store.breakers.find(),
        proxies=proxies.read(store),
        schedules=store.schedules.find(),
    )


def put_all(page: Page, seen: Seen, scrapers: Labels) -> None:
    for totals in seen.totals:
        scraper = scrapers.of(totals.scraper)
        page.add("swather_runs", totals.open_runs, scraper, "open")
        page.add("swather_runs", totals.paused_runs, scraper, "paused")
        for state, n in _states(totals.counts):
            page.add("swather_tasks", n, scraper, state)
    for breaker in seen.breakers:
        page.add("swather_open_breakers", 1, scrapers.of(breaker.scraper))
    put_workers(page, seen.workers)
    put_supervisors(page, seen.supervisors)
    put_lanes(page, seen.lanes, seen.now)
    for state in ProxyState:
        page.put("swather_proxies", seen.proxies.get(state, 0), state)
    put_schedules(page, seen.schedules)


def _states(counts: Counts) -> list[tuple[str, int]]:
    return [(str(state), getattr(counts, state)) for state in State]


def put_workers(page: Page, live: Iterable[Worker]) -> None:
    states = dict.fromkeys(WORKER_STATES, 0)
    slots = {"busy": 0, "free": 0}
    waiting: Counter[str] = Counter()
    producers = held = stuck = troubled = 0
    quietest = 0.0
    for worker in live:
        is_silent = worker.silent_seconds > worker.lease_seconds
        quietest = max(quietest, worker.silent_seconds)
        stuck += worker.leases if is_silent else 0
        held += worker.leases
        if worker.kind is WorkerKind.PRODUCER:
            producers += 1
            continue
        said = worker.statistics
        busy = _whole(said.get("busy", worker.leases))
        states[_state_of(worker, busy, is_silent=is_silent)] += 1
        if is_silent:
            continue
        troubled += bool(said.get("trouble"))
        slots["busy"] += busy
        slots["free"] += max(_whole(said.get("slots")) - busy, 0)
        waiting.update({what: int(n) for what, n in numbers_of(said.get("waiting")).items()})
    for state, n in states.items():
        page.put("swather_workers", n, state)
    for state, n in slots.items():
        page.put("swather_slots", n, state)
    for what, number in by_wait(waiting).items():
        page.put("swather_waiting_attempts", number, what)
    page.put("swather_producers", producers)
    page.put("swather_leases", held)
    page.put("swather_stuck_leases", stuck)
    page.put("swather_workers_in_trouble", troubled)
    page.put("swather_oldest_beat_seconds", quietest)


def _state_of(worker: Worker, busy: int, *, is_silent: bool) -> str:
    if is_silent:
        return "silent"
    if worker.paused:
        return "paused"
    return "busy" if busy else "idle"


def put_supervisors(page: Page, live: list[SupervisorRow]) -> None:
    page.put("swather_supervisors", len(live))
    page.put("swather_fleet_workers_wanted", sum(each.wanted for each in live))
    states: Counter[str] = Counter()
    for supervisor in live:
        said = supervisor.said.get("workers")
        seats = [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
        states.update(each["state"] for each in seats if each.get("state") in SEAT_STATES)
    for state in SEAT_STATES:
        page.put("swather_fleet_workers", states[state], state)


def put_lanes(page: Page, found: Iterable[Lane], now: datetime) -> None:
    lanes = [lane for lane in found if lane.kind is PacedKind.LANE and lane.name]
    cooling = [seconds for lane in lanes if (seconds := _cooling_seconds(lane, now)) > 0]
    page.put("swather_lanes", len(cooling), "cooling")
    page.put("swather_lanes", sum(lane.paused for lane in lanes), "paused")
    page.put("swather_lanes", sum(lane.in_flight > 0 for lane in lanes), "in use")
    page.put("swather_longest_cooling_seconds", max(cooling, default=0.0))
    page.put("swather_lanes_in_flight", sum(lane.in_flight for lane in lanes))


def _cooling_seconds(lane: Lane, now: datetime) -> float:
    return max((lane.cool_until - now).total_seconds(), 0.0) if lane.cool_until else 0.0


def put_schedules(page: Page, schedules: Iterable[Schedule]) -> None:
    due = [-each.due_seconds for each in schedules if each.enabled]
    page.put("swather_schedules", len(due))
    page.put("swather_schedules_late", sum(seconds > LATE_SECONDS for seconds in due))
    page.put("swather_schedule_late_seconds", max([0.0, *due]))


def _whole(value: Any) -> int:
    return max(value, 0) if type(value) is int else 0
