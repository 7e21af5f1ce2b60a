"""Starting a registered scraper by a form: parameters as fields, targets as text or a file."""

from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile

from swather.api.parameters import Do
from swather.api.run_changes import start_run
from swather.api.served import TheServed
from swather.api.starting import registered_scraper
from swather.errors import InputError
from swather.runs import configuration
from swather.scraping import registry
from swather.scraping.registered import registered
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.web.drawing import page
from swather.web.param_form import ParamField, param_fields, read_params
from swather.web.target_form import sent_targets, typed_targets

router = APIRouter(include_in_schema=False)

PARAM: Final = "p."


async def _posted(request: Request) -> dict[str, str | bytes]:
    """The fields of a form; of a file its name and its content."""
    async with request.form() as form:
        return await _read(form)


async def _read(form: FormData) -> dict[str, str | bytes]:
    found: dict[str, str | bytes] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            found[name] = await value.read()
            found[f"{name}.name"] = value.filename or ""
        else:
            found[name] = value
    return found


Posted = Annotated[dict[str, str | bytes], Depends(_posted)]


@router.get("/start")
def start_page(request: Request) -> Response:
    return page(request, "start.html", {"scrapers": registry.names()})


@router.get("/start/{name}")
def form_page(request: Request, served: TheServed, name: str) -> Response:
    scraper = registered_scraper(name)
    fields = param_fields(scraper, _known(scraper, served.settings))
    return _form(request, scraper, fields)


@router.post("/start/{name}")
def start(request: Request, served: TheServed, do: Do, name: str, posted: Posted) -> Response:
    """A new run; what is wrong with the form is said on it."""
    scraper = registered_scraper(name)
    typed = {
        field.removeprefix(PARAM): value
        for field, value in posted.items()
        if field.startswith(PARAM) and isinstance(value, str)
    }
    drawn = param_fields(scraper, _known(scraper, served.settings))
    fields, params = read_params(scraper, drawn, typed)
    text = str(posted.get("targets", ""))
    targets, wrong = _targets(name, text, posted)
    if wrong or any(field.error for field in fields):
        return _form(request, scraper, fields, text=text, wrong=wrong)
    try:
        started = start_run(do, name, targets, params=params)
    except InputError as error:
        return _form(request, scraper, fields, text=text, problem=str(error))
    return RedirectResponse(f"/runs/{quote(started.run_id, safe='')}", HTTPStatus.SEE_OTHER)


def _targets(name: str, text: str, posted: dict[str, str | bytes]) -> tuple[list[Any] | None, str]:
    """What to scrape, None for what the scraper is registered with; or what is wrong."""
    content = posted.get("file", b"")
    try:
        found = typed_targets(text)
        if isinstance(content, bytes) and content:
            found += sent_targets(str(posted.get("file.name", "")), content)
    except InputError as error:
        return None, str(error)
    if found:
        return found, ""
    if _own_targets(name) is None:
        return None, "say what to scrape: a target on each line, or a file of them"
    return None, ""


def _own_targets(name: str) -> str | None:
    """The file that the scraper is registered with."""
    known = registered().get(name)
    return None if known is None or known.targets is None else known.targets.name


def _known(scraper: Scraper, settings: Settings) -> frozenset[str]:
    """Parameters that have a value where the server runs."""
    return frozenset(configuration.known_params(scraper, settings))


def _form(
    request: Request,
    scraper: Scraper,
    fields: list[ParamField],
    *,
    text: str = "",
    wrong: str = "",
    problem: str = "",
) -> Response:
    values = {
        "scraper": scraper,
        "fields": fields,
        "targets": text,
        "own_targets": _own_targets(scraper.name),
        "targets_error": wrong,
        "problem": problem,
        "param": PARAM,
    }
    is_wrong = wrong or problem or any(field.error for field in fields)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if is_wrong else HTTPStatus.OK
    return page(request, "start_scraper.html", values, status=status)
