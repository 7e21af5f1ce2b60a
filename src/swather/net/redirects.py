"""Redirects: where they lead, and what of the request may go there."""

from typing import Final
from urllib.parse import urljoin

import msgspec

from swather.masking import shown_url
from swather.model.private_addresses import is_local_name, is_private
from swather.net.client import Response
from swather.net.errors import Unencrypted, UntrustedRedirect, UnusableURL
from swather.net.onion import is_onion
from swather.net.page import reread
from swather.net.request import Origin, Request, is_http, parse_origin, split_url

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# Headers about the wanted response. Any other may be a secret meant for one site.
HARMLESS: Final = frozenset(
    {"accept", "accept-encoding", "accept-language", "cache-control", "if-modified-since",
     "if-none-match", "pragma", "range", "user-agent"}
)  # fmt: skip
_NEVER_REDIRECTED: Final = frozenset({"host", "proxy-authorization"})
_OF_THE_BODY: Final = frozenset(
    {"content-encoding", "content-language", "content-length", "content-type", "transfer-encoding"}
)


def location_in(response: Response, url: str) -> str | None:
    """The URL that a redirect names, if it names one; UnusableURL when that is not a web page."""
    location = next(iter(response.values("location")), None)
    if location is None:
        return None
    location = reread(location)
    try:
        leads_to = urljoin(url, location.strip())
    except ValueError:
        leads_to = ""
    if not is_http(leads_to):
        raise UnusableURL(
            f"{shown_url(url)} redirects to {shown_url(location)!r}, which is not a web page"
        )
    return leads_to


def redirected(request: Request, status: int, url: str, came_from: Origin) -> Request:
    """The request that follows a redirect, with another method only where browsers change it.

    Another scheme, host or port gets neither the body (UntrustedRedirect) nor headers that may be
    secret, unless the request trusts redirects.
    """
    headers = {name.lower(): value for name, value in request.headers.items()}
    method, body = request.method.upper(), request.body
    if (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST"):
        method, body = "GET", None
        headers = {name: value for name, value in headers.items() if name not in _OF_THE_BODY}
    leads_to = parse_origin(split_url(url)[0])
    if leads_to.url == came_from.url:
        if came_from.authorization:
            headers.setdefault("authorization", came_from.authorization)
    else:
        is_downgrade = came_from.is_encrypted and not leads_to.is_encrypted
        if is_downgrade and request.https_only:
            raise Unencrypted(f"{came_from.url} redirects to {leads_to.url}, away from https")
        if request.trust_redirects and not is_downgrade:
            headers = {name: headers[name] for name in headers if name not in _NEVER_REDIRECTED}
        elif body is not None:
            raise _untrusted(method, came_from, leads_to, is_downgrade=is_downgrade)
        else:
            headers = {name: headers[name] for name in headers if name in HARMLESS}
    return msgspec.structs.replace(
        request, url=url, method=method, body=body, params={}, headers=headers
    )


def check_encrypted(url: str) -> None:
    """Refuse http, except to an address or a name that only a local network knows, and to an onion
    address, whose connections Tor encrypts from end to end.
    """
    origin = parse_origin(split_url(url)[0])
    is_local = is_local_name(origin.host) if origin.address is None else is_private(origin.address)
    if not (origin.is_encrypted or is_local or is_onion(origin.host)):
        raise Unencrypted(f"{origin.url} is not encrypted: use https")


def _untrusted(
    method: str, came_from: Origin, leads_to: Origin, *, is_downgrade: bool
) -> UntrustedRedirect:
    if is_downgrade:
        why = "from https to http, where its body would go unencrypted"
        what_to_do = "request the http URL yourself if you want that"
    else:
        why = "to another origin, and its body is not sent there"
        what_to_do = "request the new URL yourself, or pass trust_redirects=True"
    return UntrustedRedirect(
        f"a {method} is redirected {why}; {what_to_do}: {came_from.url} redirects to {leads_to.url}"
    )
