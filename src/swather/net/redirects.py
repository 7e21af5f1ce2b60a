"""Where a redirect leads, and what of a request goes there."""

from typing import Final
from urllib.parse import urljoin

import msgspec

from swather.net.charset import reread
from swather.net.client import Answer
from swather.net.errors import UnusableURL
from swather.net.place import Place, place_of, split
from swather.net.request import Request, is_http, shown_url

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SECRET: Final = frozenset({"authorization", "cookie", "proxy-authorization", "host"})
_OF_THE_BODY: Final = frozenset(
    {"content-encoding", "content-language", "content-length", "content-type", "transfer-encoding"}
)


def location_in(answer: Answer, url: str) -> str | None:
    """The URL that a redirect names, if it names one; UnusableURL when that is no web page."""
    location = next(iter(answer.values("location")), None)
    if location is None:
        return None
    location = reread(location)
    try:
        leads_to = urljoin(url, location.strip())
    except ValueError:
        leads_to = ""
    if not is_http(leads_to):
        raise UnusableURL(
            f"{shown_url(url)} leads to {shown_url(location)!r}, which is no web page"
        )
    return leads_to


def redirected(request: Request, status: int, url: str, came_from: Place) -> Request:
    """The request that follows a redirect. Another method only where browsers change it; what may
    be secret is left out when it goes to another scheme, host or port.
    """
    headers = {name.lower(): value for name, value in request.headers.items()}
    if place_of(split(url)[0]).origin != came_from.origin:
        headers = {name: value for name, value in headers.items() if name not in _SECRET}
    elif came_from.authorization:
        headers.setdefault("authorization", came_from.authorization)
    method, body = request.method.upper(), request.body
    if (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST"):
        method, body = "GET", None
        headers = {name: value for name, value in headers.items() if name not in _OF_THE_BODY}
    return msgspec.structs.replace(
        request, url=url, method=method, body=body, params={}, headers=headers
    )
