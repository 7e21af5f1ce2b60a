"""The files that a run has saved: thumbnails of pictures, and the rest to be saved."""

from typing import Final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from swather.api.saved_files import SHOWN
from swather.api.served import TheStore
from swather.web.drawing import page
from swather.web.pages.results import Position

router = APIRouter(include_in_schema=False)

PAGE: Final = 48


@router.get("/runs/{run}/files")
def files_page(request: Request, store: TheStore, run: str, before: Position = "") -> Response:
    chosen = store.runs.get(run)
    files = store.results.newest_files(run, before=before, limit=PAGE)
    base = f"/runs/{quote(run, safe='')}"
    more = ""
    if len(files) == PAGE:
        more = f"{base}/files?{urlencode({'before': files[-1].position})}"
    values = {
        "run": chosen,
        "run_address": base,
        "files": files,
        "shown": SHOWN,
        "counts": store.runs.counts(run),
        "more": more,
        "first": f"{base}/files" if before else "",
    }
    return page(request, "files.html", values)
