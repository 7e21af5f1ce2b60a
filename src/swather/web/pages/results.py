"""What runs have found: their newest items as a table, searched and exported."""

from typing import Annotated, Any, Final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from swather.api.served import TheServed, TheStore
from swather.model.run import Run
from swather.runs.export import Format
from swather.store import Store
from swather.store.ports import ITEM_SCAN
from swather.web.columns import columns_of
from swather.web.drawing import page, part
from swather.web.live import Regions, stream

router = APIRouter(include_in_schema=False)

PAGE: Final = 50
_RUNS: Final = 50

Text = Annotated[str, Query(max_length=500, pattern=r"^[^\x00]*$")]
Position = Annotated[str, Query(max_length=100, pattern=r"^([0-9]{1,18}([.:-][0-9]{1,18}){0,3})?$")]


@router.get("/results")
def results_page(
    request: Request, store: TheStore, run: Text = "", text: Text = "", before: Position = ""
) -> Response:
    """Of the run that is asked for, or of the newest one that has items."""
    runs = store.runs.find(limit=_RUNS)
    chosen = store.runs.get(run) if run else _newest_with_items(store, runs)
    values: dict[str, Any] = {"runs": runs, "run": chosen, "text": text}
    if chosen is not None:
        values |= _values(store, chosen, "/results", {"run": chosen.name}, text, before)
    return page(request, "results.html", values)


@router.get("/results/live")
async def results_live(request: Request, served: TheServed, run: Text) -> Response:
    """Only of the first page, without a search: what is older does not change."""

    def read(store: Store) -> Regions:
        return {"items": _table(store, run, "/results", {"run": run}, "", "")}

    return stream(request, served, read)


@router.get("/runs/{run}/results")
def run_results_page(
    request: Request, store: TheStore, run: str, text: Text = "", before: Position = ""
) -> Response:
    chosen = store.runs.get(run)
    values = {"run": chosen, "text": text}
    own = _values(store, chosen, f"{_base(run)}/results", {}, text, before)
    return page(request, "results_run.html", {**values, **own})


@router.get("/runs/{run}/results/live")
async def run_results_live(request: Request, served: TheServed, run: str) -> Response:
    def read(store: Store) -> Regions:
        return {"items": _table(store, run, f"{_base(run)}/results", {}, "", "")}

    return stream(request, served, read)


def _values(
    store: Store, run: Run, address: str, fields: dict[str, str], text: str, before: str
) -> dict[str, Any]:
    return {
        "address": address,
        "export": f"/api/v1{_base(run.name)}/export",
        "formats": list(Format),
        "counts": store.runs.counts(run.name),
        "live_address": "" if text or before else _with(f"{address}/live", fields),
        "items": _table(store, run.name, address, fields, text, before),
    }


def _table(
    store: Store, run: str, address: str, fields: dict[str, str], text: str, before: str
) -> str:
    if text:
        items, next_position, is_all = store.results.search(run, text, before=before, limit=PAGE)
    else:
        items = store.results.newest(run, before=before, limit=PAGE)
        is_all = len(items) < PAGE
        next_position = items[-1].position if items else ""
    asked = {**fields, "text": text} if text else fields
    columns = columns_of(items)
    return part(
        "results_table.html",
        columns=columns,
        rows=[(item, columns.row(item)) for item in items],
        text=text,
        scanned=ITEM_SCAN,
        is_full=len(items) == PAGE,
        more="" if is_all else _with(address, {**asked, "before": next_position}),
        first=_with(address, asked) if before else "",
    )


def _newest_with_items(store: Store, runs: list[Run]) -> Run | None:
    for run in runs:
        if store.runs.counts(run.name).items:
            return run
    return runs[0] if runs else None


def _base(run: str) -> str:
    return f"/runs/{quote(run, safe='')}"


def _with(address: str, fields: dict[str, str]) -> str:
    return f"{address}?{urlencode(fields)}" if fields else address
