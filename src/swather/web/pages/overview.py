"""The first page: all runs, and how they go."""

from typing import Annotated, Any, Final
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from swather.api.jobs_status import Jobs, read_jobs
from swather.api.served import TheServed, TheStore
from swather.model.run import Counts, Run, RunState
from swather.runs.situation import Surroundings
from swather.runs.words import command
from swather.store import Store
from swather.web.charts import Charted, of_everything
from swather.web.drawing import page, part
from swather.web.live import Regions, parts_now, stream
from swather.web.standing import Standing, standing_of

router = APIRouter(include_in_schema=False)

PAGE: Final = 25
_LATELY: Final = 10
_HOUR_SECONDS: Final = 3_600.0


class Shown(msgspec.Struct, frozen=True):
    """Which runs the address asks for: those in a state, those older than one."""

    state: RunState
    before_id: int | None

    @property
    def query(self) -> str:
        given = {} if self.state is RunState.OPEN else {"state": str(self.state)}
        return urlencode({**given, **({"before": self.before_id} if self.before_id else {})})

    def address(self, path: str = "/") -> str:
        return f"{path}?{self.query}" if self.query else path


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """All runs together. The estimate is that of the run that takes longest."""

    active: int
    rate_per_second: float
    counts: Counts
    eta_seconds: float | None
    limited_by: str
    unknown: int

    @property
    def failed_share(self) -> float | None:
        ended = self.counts.completed + self.counts.failed
        return self.counts.failed / ended if ended else None


class Ended(msgspec.Struct, frozen=True):
    """A run that is over."""

    run: Run
    counts: Counts

    @property
    def seconds(self) -> float | None:
        ended = self.run.finished_at
        return None if ended is None else (ended - self.run.created_at).total_seconds()


State = Annotated[RunState, Query()]
Before = Annotated[int | None, Query(ge=1, lt=1 << 63)]


@router.get("/")
def overview(
    request: Request,
    served: TheServed,
    store: TheStore,
    state: State = RunState.OPEN,
    before: Before = None,
) -> Response:
    shown, charted = Shown(state, before), Charted(of_everything, _HOUR_SECONDS)
    address = shown.address("/live")
    regions = parts_now(served, address, lambda: _regions(store, shown, charted))
    return page(request, "overview.html", {"shown": shown, "live_address": address, **regions})


@router.get("/live")
async def overview_live(
    request: Request, served: TheServed, state: State = RunState.OPEN, before: Before = None
) -> Response:
    shown, charted = Shown(state, before), Charted(of_everything, _HOUR_SECONDS)
    return stream(request, served, lambda store: _regions(store, shown, charted))


def _regions(store: Store, shown: Shown, charted: Charted) -> Regions:
    jobs = read_jobs(store)
    found = store.runs.find(state=shown.state, before_id=shown.before_id, limit=PAGE + 1)
    more = len(found) > PAGE
    found = found[:PAGE]
    older = Shown(shown.state, found[-1].id).address() if more else ""
    values: dict[str, Any] = {
        "shown": shown,
        "older": older,
        "newest": Shown(shown.state, None).address() if shown.before_id else "",
        "has_any": bool(found) or bool(store.runs.find(limit=1)),
        "typed": command("run", "books.py", "https://books.toscrape.com/", url=store.url),
    }
    if shown.state is RunState.OPEN:
        around = Surroundings.read(store)
        rows = [standing_of(store, run, store.runs.counts(run.name), around) for run in found]
        runs = part("overview_runs.html", rows=rows, ended=_ended_lately(store), **values)
    else:
        rows, ended = [], [Ended(run, store.runs.counts(run.name)) for run in found]
        runs = part("overview_runs.html", rows=rows, ended=ended, **values)
    # Other pages of the list do not know the estimates of all runs.
    headline = _headline(jobs, rows, is_all=not more and shown == Shown(RunState.OPEN, None))
    return {
        "figures": part("overview_figures.html", headline=headline, workers=len(jobs.active)),
        "points": charted.read(store),
        "runs": runs,
    }


def _headline(jobs: Jobs, rows: list[Standing], *, is_all: bool) -> Headline:
    rate = sum(jobs.rates.values())
    known = [row.pace for row in rows if row.pace.eta_seconds is not None]
    last = max(known, key=lambda pace: pace.eta_seconds or 0.0, default=None)
    seconds = None if last is None else last.eta_seconds
    if not is_all:
        seconds = jobs.counts.unfinished / rate if rate else None
    return Headline(
        active=jobs.active_runs,
        rate_per_second=rate,
        counts=jobs.counts,
        eta_seconds=seconds,
        limited_by=last.limited_by if last is not None and is_all else "",
        unknown=len(rows) - len(known) if is_all else 0,
    )


def _ended_lately(store: Store) -> list[Ended]:
    both = [
        *store.runs.find(state=RunState.FINISHED, limit=_LATELY),
        *store.runs.find(state=RunState.CANCELLED, limit=_LATELY),
    ]
    newest = sorted(both, key=lambda run: run.id, reverse=True)[:_LATELY]
    return [Ended(run, store.runs.counts(run.name)) for run in newest]
