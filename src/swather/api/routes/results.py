"""What runs have found, over HTTP: items, files, exports."""

from collections.abc import Generator
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import Path as InPath
from fastapi import Query
from fastapi.responses import StreamingResponse

from swather.api import answers_results as answers
from swather.api.answers import shown
from swather.api.download import Download
from swather.api.parameters import Limit, Position, RunAlone, TheRun, new_router
from swather.api.saved_files import SavedFiles
from swather.api.served import Served, TheServed, TheStore
from swather.errors import InputError
from swather.model.run import Run
from swather.runs.export import Format, check_format, chunks_of, items_of
from swather.runs.json_names import named

router = new_router("results", "runs")

_MEDIA_TYPES: Final = {
    Format.JSONL: "application/x-ndjson",
    Format.JSON: "application/json",
    Format.CSV: "text/csv; charset=utf-8",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Format.PARQUET: "application/vnd.apache.parquet",
}
_BYTES: Final[dict[str, Any]] = {"schema": {"type": "string", "format": "binary"}}
_EXPORTED: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The items, as a file",
        "content": {
            "application/x-ndjson": {
                "schema": {"type": "string"},
                "example": '{"title": "A Light in the Attic"}\n{"title": "Tipping the Velvet"}\n',
            },
            "application/json": {"schema": {"type": "array", "items": {}}},
            "text/csv": {"schema": {"type": "string"}, "example": "title\nTipping the Velvet\n"},
            _MEDIA_TYPES[Format.XLSX]: _BYTES,
            _MEDIA_TYPES[Format.PARQUET]: _BYTES,
        },
    }
}
_FILE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The content of the file; only pictures are named as what they are",
        "content": {"application/octet-stream": _BYTES, "image/*": _BYTES},
    }
}


@router.get("/{run}/items", response_model=answers.ItemPage)
def list_items(
    store: TheStore,
    run: TheRun,
    search: Annotated[
        str, Query(max_length=500, description="Only items whose JSON has this text.")
    ] = "",
    before: Position = "",
    limit: Limit = 100,
) -> Any:
    """The items of a run, the newest first. To get all of them, export the run."""
    if search:
        found = store.results.search(run.name, search, before=before, limit=limit)
        position = None if found.is_all else found.next_position
        return {"items": named(found.items), "next": position}
    items = store.results.newest(run.name, before=before, limit=limit)
    position = items[-1].position if len(items) == limit else None
    # What was found is shown as it was found.
    return {"items": named(items), "next": position}


@router.get("/{run}/files", response_model=answers.FilePage)
def list_files(store: TheStore, run: TheRun, before: Position = "", limit: Limit = 100) -> Any:
    """The files that a run has saved, the newest first."""
    files = store.results.newest_files(run.name, before=before, limit=limit)
    position = files[-1].position if len(files) == limit else None
    return shown({"files": files, "next": position})


@router.get("/{run}/files/{position}", response_class=StreamingResponse, responses=_FILE)
def get_file(
    served: TheServed,
    store: TheStore,
    run: TheRun,
    position: Annotated[
        str,
        InPath(
            max_length=100,
            pattern=r"^[0-9]{1,18}([.:-][0-9]{1,18}){0,3}$",
            description="As the list of files has it.",
            examples=["1234.0.0"],
        ),
    ],
) -> StreamingResponse:
    """The content of a file. Nothing in it can run as a page of this server."""
    file = store.results.file(run.name, position)
    return SavedFiles(served.settings, start=Path.cwd()).answer(run, file)


@router.get("/{run}/export", response_class=StreamingResponse, responses=_EXPORTED)
def export_run(
    served: TheServed,
    run: RunAlone,
    form: Annotated[Format, Query(alias="format", description="How items are written.")] = (
        Format.JSONL
    ),
    complete_only: Annotated[
        bool, Query(description="Leave out items of tasks that have not completed.")
    ] = False,
    outdated: Annotated[
        bool, Query(description="Only the old items of targets that failed when retried.")
    ] = False,
    raw: Annotated[
        bool, Query(description="Leave CSV cells as they are, formulas of spreadsheets too.")
    ] = False,
) -> StreamingResponse:
    """All items that a run has now, in commit order, as a file of any size. If it breaks off, the
    connection does, too.
    """
    if raw and form is not Format.CSV:
        raise InputError("raw only applies to CSV")
    check_format(form)
    name = quote(f"{run.name}.{form}", safe="")
    return Download(
        _sent(served, run, form, complete_only=complete_only, outdated=outdated, raw=raw),
        media_type=_MEDIA_TYPES[form],
        headers={"content-disposition": f"attachment; filename*=UTF-8''{name}"},
    )


def _sent(
    served: Served, run: Run, form: Format, *, complete_only: bool, outdated: bool, raw: bool
) -> Generator[bytes]:
    with served.stores.apart(served.stores.exports) as store:
        reading = items_of(store, run.name, complete_only=complete_only, outdated=outdated)
        yield from chunks_of(reading, form, raw=raw)
