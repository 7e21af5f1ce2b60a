"""Draws pages and parts of pages from their templates."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from swather.version import __version__
from swather.web import words

FOLDER: Final = Path(__file__).parent
STATIC: Final = FOLDER / "static"


@cache
def _templates() -> Environment:
    """Everything is shown as text, unless a template makes it markup itself."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(words.FILTERS)
    made.globals.update(version=__version__, static=static)
    return made


def part(template: str, **values: Any) -> Markup:
    """A part of a page."""
    return Markup(_templates().get_template(template).render(**values))  # noqa: S704 - escaped there


def page(
    request: Request, template: str, values: Mapping[str, Any], *, status: int = 200
) -> HTMLResponse:
    """A whole page, for whoever asks. `at` is the address, `role` who it is for."""
    drawn = part(template, at=request.url.path, role=request.state.role, **values)
    return HTMLResponse(drawn, status_code=status)


@cache
def static(name: str) -> str:
    """The address of a file that pages need; it changes with the file."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?{digest}"
