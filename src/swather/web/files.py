"""The files that pages need: style, scripts, icon."""

from http import HTTPStatus
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from swather.api.problems import Refused
from swather.web.drawing import STATIC

router = APIRouter(include_in_schema=False)

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    known = {path.name: path for path in STATIC.iterdir()}
    found = known.get(name)
    if found is None or found.suffix not in _TYPES:
        raise Refused(HTTPStatus.NOT_FOUND, f"there is no file {name!r}")
    # An address holds the digest of what it names.
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(found.read_bytes(), media_type=_TYPES[found.suffix], headers=headers)
