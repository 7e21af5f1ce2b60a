"""Every address of the dashboard and the API that only reads, with millions of tasks behind it."""

import http.client
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from bench.addresses import addresses, states
from bench.figures import Figure
from bench.setting import Setting, say
from bench.store.setups import Setup, postgres_setup, sqlite_setup
from bench.store.worked import add_worked
from swather import posix
from swather.model.lease import ClaimRequest
from swather.model.run import NewRun
from swather.model.schedule import NewSchedule
from swather.model.supervisor import NewSupervisor
from swather.model.task import Target
from swather.settings import Settings
from swather.web.dashboard import Dashboard

OpenSetup = AbstractContextManager[Setup]
OTHER_RUNS: Final = 200
LEASED: Final = 200
TIMES: Final = 5
SLOW_MS: Final = 200.0
# A value that this page does not take, such as the state of a task where runs are meant; and what
# cannot be done to an open run.
UNFIT: Final = (422, 409)
# These are read whole; of what is streamed, the first bytes.
WHOLE: Final = ("text/html", "application/json", "application/problem+json")


class Answer(NamedTuple):
    status: int
    milliseconds: float


def measure(setting: Setting) -> list[Figure]:
    openers: dict[str, Callable[[], OpenSetup]] = {
        "SQLite": sqlite_setup,
        "PostgreSQL": lambda: postgres_setup(setting.postgres),
    }
    count = setting.pick(20_000, 300_000, 10_000_000)
    figures: list[Figure] = []
    for name, opener in openers.items():
        who = f"Swather, {name}"
        if setting.wants(who):
            with opener() as setup:
                known = _fill(setup, count)
                figures += _figures(setup.url, who, count, known)
    return figures


def _fill(setup: Setup, count: int) -> dict[str, str]:
    """What the parameters of addresses stand for."""
    store, began = setup.store, time.monotonic()
    run = setup.new_run()
    add_worked(setup.backlog, run.id, count, setup.worker_id)
    for number in range(OTHER_RUNS):
        other = store.runs.create(NewRun(scraper=f"other{number % 7}"))
        store.tasks.enqueue(other, [Target(value=n, lane="site") for n in range(20)])
    request = ClaimRequest(worker_id=setup.worker_id, count=LEASED, runs=(run.name,))
    lease = store.queue.claim(request).leases[0]
    action = store.actions.begin(actor="bench", verb="pause", subject=run.name, detail={})
    store.actions.end(action)
    process = posix.this_process()
    fleet = store.supervisors.register(NewSupervisor(name="barn", process=process, wanted=1))
    media = store.runs.create(NewRun(scraper="media"))
    schedule = NewSchedule(name="nightly", scraper="media", cron="0 3 * * *")
    store.schedules.add(schedule, datetime.now(UTC) + timedelta(days=1))
    setup.backlog.settle_down()
    say(f"  {setup.database}: {count:,} tasks in {time.monotonic() - began:.0f} s")
    return {
        "runs": run.name,
        "tasks": str(lease.task_id),
        "workers": str(setup.worker_id),
        "worker": store.workers.get(setup.worker_id).name,
        "errors": store.results.errors(run.name, limit=1)[0].fingerprint,
        "lanes": lease.lane,
        "actions": str(action),
        "files": store.results.newest_files(run.name, limit=1)[0].position,
        "items": store.results.newest(run.name, limit=1)[0].position,
        "fleet": "barn",
        "fleets": str(fleet),
        "schedules": schedule.name,
        "scrapers": "media",
        "start": "media",
        "media": media.name,
        "static": "swather.css",
    }


def _figures(url: str, who: str, count: int, known: dict[str, str]) -> Iterator[Figure]:
    filters = {
        "state": states(),
        "text": ["no such text", "7"],
        "q": ["no such text", "Lamp"],
        "search": ["no such text"],
        "lane": [known["lanes"]],
        "worker": [known["worker"], "nobody"],
        "class": ["permanent", "timeout"],
        "reason": ["gone", "ok", "no_such_reason"],
        "order": ["oldest"],
        "verb": ["cancel", "retry"],
        "fingerprint": [known["errors"]],
    }
    taken: dict[str, float] = {}
    failed: list[str] = []
    with Dashboard(Settings(db=url, api_port=0)) as dashboard, dashboard.serving():
        asking = _Asking(dashboard.address, dashboard.tokens.admin)
        asked = list(dict.fromkeys(addresses(known, filters)))
        # All of them in turn: a server gives what it has just read again for a second.
        rounds = [[asking.ask(address) for address in asked] for _ in range(TIMES + 1)][1:]
        for address, *answers in zip(asked, *rounds, strict=True):
            # The quickest: what else the machine does is not the page's doing.
            milliseconds = min(answer.milliseconds for answer in answers)
            status = answers[-1].status
            if status in UNFIT:
                continue
            if status >= 400:
                failed.append(address)
            else:
                taken[address] = milliseconds
            mark = "  <- slow" if milliseconds > SLOW_MS else ""
            say(f"    {status} {milliseconds:8.1f} ms {address}{mark}")
    slowest = max(taken, key=lambda address: taken[address])
    note = f"{count:,} tasks; the slowest of {len(taken)}: {slowest}"
    yield Figure("the slowest page", who, "ours", "ms", (taken[slowest],), note)
    yield Figure("the median page", who, "ours", "ms", (statistics.median(taken.values()),), note)
    yield Figure(
        "pages not answered", who, "ours", "pages", (float(len(failed)),), ", ".join(failed)
    )


class _Asking:
    """One connection for each answer, as some browsers and all scripts have."""

    def __init__(self, address: str, token: str) -> None:
        self._host = urlsplit(address).netloc
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "text/html, */*"}

    def ask(self, path: str) -> Answer:
        connection = http.client.HTTPConnection(self._host, timeout=120)
        began = time.perf_counter()
        try:
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
            kind = answer.headers.get_content_type()
            if kind in WHOLE:
                answer.read()
            else:
                answer.read(1)
            return Answer(answer.status, 1_000 * (time.perf_counter() - began))
        finally:
            connection.close()
