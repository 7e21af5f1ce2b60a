"""The page of partitions: a tile for each of a run, with who serves it and how far it is."""

from typing import Annotated, Final
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from swather.api.served import TheServed, TheStore
from swather.model.partition import Partition, PartitionCounts
from swather.model.run import Run
from swather.model.task import MAX_NAME_BYTES
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.live import Regions, stream

router = APIRouter(include_in_schema=False)

# Tiles that a page shows, and the largest run whose tasks are counted for it.
MOST: Final = 500
MOST_COUNTED: Final = 100_000
_RUNS: Final = 50

Name = Annotated[str, Query(max_length=MAX_NAME_BYTES)]


class Tile(msgspec.Struct, frozen=True, kw_only=True):
    """`total` is None where tasks are not counted."""

    partition: Partition
    total: int | None
    waiting: int
    running: int

    @property
    def done(self) -> int:
        return max((self.total or 0) - self.waiting - self.running, 0)

    @property
    def state(self) -> str:
        if self.total is not None and self.total == self.done:
            return "completed"
        if self.partition.leaving:
            return "draining"
        return "running" if self.partition.owner else "waiting"


@router.get("/partitions")
def partitions_page(request: Request, store: TheStore, run: Name = "") -> Response:
    runs = store.runs.find(limit=_RUNS)
    chosen = store.runs.get(run) if run else _first(store, runs)
    names = [each.name for each in runs]
    if chosen is not None and chosen.name not in names:
        names.append(chosen.name)
    values = {"runs": names, "run": chosen, "live_address": "", "partitions": ""}
    if chosen is not None:
        values["live_address"] = f"/partitions/live?{urlencode({'run': chosen.name})}"
        values |= _regions(store, chosen.name)
    return page(request, "partitions.html", values)


@router.get("/partitions/live")
async def partitions_live(request: Request, served: TheServed, run: Name) -> Response:
    return stream(request, served, lambda store: _regions(store, run))


def _first(store: Store, runs: list[Run]) -> Run | None:
    """The newest that has partitions, else the newest."""
    partitioned = set(store.partitions.runs({run.scraper for run in runs}))
    found = [run for run in runs if run.name in partitioned] or runs
    return found[0] if found else None


def _regions(store: Store, run: str) -> Regions:
    found = store.partitions.find(run)
    tasks = store.runs.counts(run).total
    is_counted = tasks <= MOST_COUNTED
    counts = store.partitions.counts(run) if is_counted else {}
    totals = store.partitions.totals(run) if is_counted else {}
    none = PartitionCounts()
    tiles = [
        Tile(
            partition=each,
            total=totals.get(each.name, 0) if is_counted else None,
            waiting=counts.get(each.name, none).waiting,
            running=counts.get(each.name, none).running,
        )
        for each in found[:MOST]
    ]
    values = {
        "tiles": tiles,
        "run": run,
        "more": max(len(found) - MOST, 0),
        "is_counted": is_counted,
        "most_counted": MOST_COUNTED,
    }
    return {"partitions": part("partitions_tiles.html", **values)}
