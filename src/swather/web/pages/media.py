"""Pictures and videos: ask many sources for something, and watch what comes."""

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from fastapi import Path as InPath
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from swather import settings_sources
from swather.api.parameters import Do
from swather.api.problems import Refused
from swather.api.run_changes import start_run
from swather.api.saved_files import SavedFiles
from swather.api.served import Served, TheServed, TheStore
from swather.builtin.media.sources import registry
from swather.errors import InputError, LoadError
from swather.model.run import Run
from swather.model.source import SourceStats
from swather.model.task_filter import TaskFilter
from swather.model.whole_number import whole_number
from swather.model.worker import WorkerKind
from swather.runs.words import command
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.gallery import gallery_of
from swather.web.live import stream
from swather.web.pages.media_sources import row_of, totals_of
from swather.web.zip_stream import zipped

router = APIRouter(include_in_schema=False)

SCRAPER: Final = "media"
MAX_QUERIES: Final = 1_000
_RECENT: Final = 12
Position = Annotated[str, InPath(max_length=100, pattern=r"^[0-9]{1,18}([.:-][0-9]{1,18}){0,3}$")]
_BATCH: Final = 1_000


@router.get("/media")
def media_page(request: Request, store: TheStore) -> Response:
    return page(request, "media.html", _form(store, {}))


@router.post("/media")
def start(
    request: Request,
    store: TheStore,
    do: Do,
    queries: Annotated[str, Form()] = "",
    sources: Annotated[list[str] | None, Form()] = None,
    per_source: Annotated[str, Form()] = "10",
    kind: Annotated[str, Form()] = "image",
) -> Response:
    """Ask; what is wrong with the form is said on it."""
    given = {"queries": queries, "sources": sources, "per_source": per_source, "kind": kind}
    wanted = [" ".join(line.split()) for line in queries.splitlines() if line.strip()]
    try:
        params = _params(wanted, sources, per_source, kind)
        started = start_run(do, SCRAPER, [{"query": query} for query in wanted], params=params)
    except InputError as error:
        drawn = {**_form(store, given), "error": str(error)}
        return page(request, "media.html", drawn, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return RedirectResponse(_address(started.run_id), HTTPStatus.SEE_OTHER)


def _params(
    wanted: list[str], sources: list[str] | None, per_source: str, kind: str
) -> dict[str, Any]:
    if not wanted:
        raise InputError("say what to look for, such as: red bicycle")
    if len(wanted) > MAX_QUERIES:
        raise InputError(
            f"{len(wanted):,} queries are more than a form takes ({MAX_QUERIES:,}); put them into "
            "a file: swather start media --targets queries.txt"
        )
    if not sources:
        raise InputError("tick at least one source")
    number = whole_number(per_source)
    if number is None or not 1 <= number <= 500:
        raise InputError(f"files per source must be a number from 1 to 500, got {per_source!r:.80}")
    return {"sources": sources, "per_source": number, "kind": kind}


@router.get("/media/{run}")
def media_run(request: Request, store: TheStore, run: str) -> Response:
    found = _media_run(store, run)
    values = {"run": found, "live_address": f"{_address(run)}/live", **_regions(store, found)}
    return page(request, "media_run.html", {**values, "title": _title(store, found)})


@router.get("/media/{run}/live")
async def media_live(request: Request, served: TheServed, run: str) -> Response:
    return stream(request, served, lambda store: _regions(store, _media_run(store, run)))


@router.get("/media/{run}/files/{position}")
def media_file(served: TheServed, store: TheStore, run: str, position: Position) -> Response:
    found = _media_run(store, run)
    return _saved(served).answer(found, store.results.file(run, position))


@router.get("/media/{run}/zip")
def media_zip(served: TheServed, store: TheStore, run: str) -> Response:
    """Everything that the run has downloaded so far, as one archive."""
    found = _media_run(store, run)
    if not store.results.files(run, limit=1):
        raise Refused(HTTPStatus.NOT_FOUND, f"run {run} has no files yet")
    name = quote(f"{run}.zip", safe="")
    return StreamingResponse(
        zipped(_contents(served, found)),
        media_type="application/zip",
        headers={"content-disposition": f"attachment; filename*=UTF-8''{name}"},
    )


def _contents(served: Served, run: Run) -> Iterator[tuple[str, Iterator[bytes]]]:
    """A store is borrowed for each batch only: an archive may take as long as its reader likes."""
    saved, after = _saved(served), ""
    while True:
        with served.stores.borrowed() as store:
            files = store.results.files(run.name, after=after, limit=_BATCH)
        if not files:
            return
        after = files[-1].position
        for file in files:
            try:
                yield file.name, saved.chunks(run, file)
            except Refused as error:
                yield f"{file.name}.missing.txt", iter([error.detail.encode(errors="replace")])


def _address(run: str) -> str:
    return f"/media/{quote(run, safe='')}"


def _saved(served: Served) -> SavedFiles:
    return SavedFiles(served.settings, start=Path.cwd())


def _media_run(store: Store, name: str) -> Run:
    run = store.runs.get(name)
    if run.scraper != SCRAPER:
        raise Refused(HTTPStatus.NOT_FOUND, f"run {name} is one of {run.scraper}, not of media")
    return run


def _form(store: Store, given: dict[str, Any]) -> dict[str, Any]:
    asked = registry.asked_by_default(
        {name: found.value for name, found in settings_sources.variables().items()}
    )
    ticked = given.get("sources")
    return {
        "sources": [
            {**source, "is_ticked": source["name"] in (asked if ticked is None else ticked)}
            for source in _sources(frozenset(asked))
        ],
        "queries": given.get("queries", ""),
        "per_source": given.get("per_source", "10"),
        "kind": given.get("kind", "image"),
        "error": "",
        "runs": [*_recent(store)],
        "has_worker": _has_worker(store),
        "worker": command("worker", "media", "--forever", url=store.url),
    }


def _recent(store: Store) -> Iterator[dict[str, Any]]:
    runs = [run for run in store.runs.find(limit=200) if run.scraper == SCRAPER]
    for run in runs[:_RECENT]:
        files = store.runs.counts(run.name).files
        yield {"run": run, "files": files, "title": _title(store, run)}


def _sources(asked: frozenset[str]) -> Iterator[dict[str, Any]]:
    for name in registry.names():
        try:
            source = registry.source_named(name)
        except LoadError as error:
            yield {"name": name, "note": str(error), "is_usable": False}
            continue
        lacks_key = source.key_name is not None and name not in asked
        note = f"needs {source.key_name}" if lacks_key else ""
        note = "experimental" if source.experimental else note
        yield {"name": name, "note": note, "is_usable": not lacks_key}


def _regions(store: Store, run: Run) -> dict[str, str]:
    counts = store.runs.counts(run.name)
    gallery = gallery_of(store, run.name)
    rows = [row_of(each, gallery.cuts.get(each.source, "")) for each in _asked(store, run.name)]
    values = {"run": run, "counts": counts, "rows": rows, "gallery": gallery}
    has_worker = _has_worker(store)
    return {
        "media_head": part(
            "media_head.html", totals=totals_of(rows), has_worker=has_worker, **values
        ),
        "media_sources": part("media_sources.html", **values),
        "media_pictures": part("media_pictures.html", **values),
    }


def _title(store: Store, run: Run) -> str:
    """The first thing that it looks for."""
    tasks = store.tasks.find(TaskFilter(run=run.name), limit=1)
    target = tasks[0].target if tasks else None
    query = target.get("query") if isinstance(target, dict) else target
    return query if isinstance(query, str) else run.name


def _has_worker(store: Store) -> bool:
    return any(one.kind is WorkerKind.WORKER for one in store.workers.find(limit=100))


def _asked(store: Store, run: str) -> list[SourceStats]:
    """Those of the run, in the order in which they are asked."""
    order = {name: place for place, name in enumerate(registry.names())}
    found = store.sources.of_run(run)
    return sorted(found, key=lambda each: (order.get(each.source, len(order)), each.source))
