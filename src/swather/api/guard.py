"""Who is let in: every request and WebSocket passes here before any route sees it.

The order: does the Host header name this server (DNS rebinding), does the request come from one of
our own pages (cross-site requests), who is it, may they do this, is the body small enough.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from swather.access_token import Role, Tokens
from swather.api.problems import Draw, answer, wants_a_page
from swather.api.sessions import COOKIE, role_in
from swather.model.whole_number import whole_number

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

Refusal = tuple[HTTPStatus, str]

# What a person needs in order to log in.
OPEN_PATHS: Final = ("/login", "/static/")
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_BODY_BYTES: Final = 1 << 20
# Paths below which bodies are streamed, and how much of one is read at the most.
STREAMED: Final = "/api/v1/uploads/"
MAX_UPLOAD_BYTES: Final = 4 << 30
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})

# What pages and answers may do wherever they are opened.
HEADERS: Final = {
    "content-security-policy": "default-src 'self'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With no-referrer, browsers would send forms with the origin null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Wraps the whole application. `names` are the hosts under which it may be reached; `draw`
    tells people why they are not let in.
    """

    def __init__(
        self, app: App, *, tokens: Tokens, names: frozenset[str], draw: Draw | None = None
    ) -> None:
        self.app = app
        self._tokens = tokens
        self._names = names | LOOPBACK
        self._draw = draw

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = _headers(scope)
        scope.setdefault("state", {})["role"] = None
        refusal = self._refusal(scope, headers)
        if refusal is not None and _can_log_in(scope, headers, refusal[0]):
            scope["state"]["wanted"] = _address(scope)
            scope["path"], scope["raw_path"], scope["query_string"] = "/login", b"/login", b""
        elif refusal is not None:
            await self._refuse(scope, receive, send, *refusal)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        limit = MAX_UPLOAD_BYTES if scope["path"].startswith(STREAMED) else MAX_BODY_BYTES
        body = _Bounded(receive, limit)
        if (whole_number(headers.get("content-length", "0")) or 0) > limit:
            await self._refuse(scope, receive, send, *_too_large(limit))
            return
        await self.app(scope, body.receive, _Answer(send).send)

    async def _refuse(
        self, scope: Scope, receive: Receive, send: Send, status: HTTPStatus, detail: str
    ) -> None:
        if scope["type"] == "websocket":
            if "websocket.http.response" not in scope.get("extensions", {}):
                await send({"type": "websocket.close", "code": 4401, "reason": detail[:120]})
                return
            # Before it is accepted, a WebSocket is a request like any other.
            await answer(status, detail)(scope, receive, send)
            return
        response = self._response(Request(scope), status, detail)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if status is HTTPStatus.UNAUTHORIZED:
            response.headers["www-authenticate"] = "Bearer"
        await response(scope, receive, send)

    def _response(self, request: Request, status: HTTPStatus, detail: str) -> Response:
        if self._draw is not None and wants_a_page(request.headers.get("accept", "")):
            return self._draw(request, status, detail, None)
        return answer(status, detail)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> Refusal | None:
        is_safe = scope["type"] == "http" and scope["method"] in SAFE_METHODS
        return self._misdirected(headers, is_safe=is_safe) or self._unknown(
            scope, headers, is_safe=is_safe
        )

    def _misdirected(self, headers: dict[str, str], *, is_safe: bool) -> Refusal | None:
        host = headers.get("host", "")
        name = _name_of(host)
        if name not in self._names:
            return HTTPStatus.MISDIRECTED_REQUEST, (
                f"this server is not {name or host!r}; reach it by its address, or add the name to "
                "the setting api_names (SWATHER_API_NAMES) where it runs"
            )
        if whole_number(headers.get("content-length", "0")) is None:
            return HTTPStatus.BAD_REQUEST, "Content-Length must be a number of at most 18 digits"
        if not is_safe and not _is_same_origin(headers, host):
            return HTTPStatus.FORBIDDEN, "the request comes from a page of another site"
        return None

    def _unknown(self, scope: Scope, headers: dict[str, str], *, is_safe: bool) -> Refusal | None:
        role, by_cookie = self._role(headers)
        scope.setdefault("state", {})["role"] = role
        if _is_open(scope["path"]):
            return None
        if role is None:
            return HTTPStatus.UNAUTHORIZED, (
                "send the token that `swather serve` prints in the header Authorization, after the "
                "word Bearer"
            )
        if by_cookie and not is_safe and not _has_origin(headers):
            return HTTPStatus.FORBIDDEN, "a request with a session's cookie must name its origin"
        changes = scope["type"] == "http" and not is_safe and scope["path"] != "/logout"
        if role is Role.READER and changes:
            return HTTPStatus.FORBIDDEN, "this token may only read"
        return None

    def _role(self, headers: dict[str, str]) -> tuple[Role | None, bool]:
        """Who it is, and whether a cookie says so."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._tokens.role_of(token.strip()), False
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return None, False
        session = cookies.get(COOKIE)
        return (None, False) if session is None else (role_in(self._tokens, session.value), True)


class _Bounded:
    """A body that is not read past its limit, whatever its header says."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = self._left = limit

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise HTTPException(*_too_large(self._limit))
        return message


class _Answer:
    """Adds the headers that every answer has; one that a route has set stays."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            has = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.encode() not in has
                ),
            ]
        await self._send(message)


def _headers(scope: Scope) -> dict[str, str]:
    """By name in lower case; of those that come twice, all."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        if key not in found:
            found[key] = text
        elif key == "cookie":
            found[key] = f"{found[key]}; {text}"
        elif key == "host":
            found[key] = ""
    return found


def _name_of(host: str) -> str:
    """Without its port; '' for what is no host."""
    try:
        parts = urlsplit(f"//{host}")
    except ValueError:
        return ""
    return (parts.hostname or "") if not parts.path and parts.username is None else ""


def _has_origin(headers: dict[str, str]) -> bool:
    return "origin" in headers or "sec-fetch-site" in headers


def _is_same_origin(headers: dict[str, str], host: str) -> bool:
    """Browsers always say where such a request comes from; other programs need not."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _is_open(path: str) -> bool:
    return any(path == one or (one.endswith("/") and path.startswith(one)) for one in OPEN_PATHS)


def _can_log_in(scope: Scope, headers: dict[str, str], status: HTTPStatus) -> bool:
    """Whether it is a person who has not logged in, and may do so."""
    if status is not HTTPStatus.UNAUTHORIZED or scope["type"] != "http":
        return False
    return scope["method"] == "GET" and wants_a_page(headers.get("accept", ""))


def _address(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    return f"{scope['path']}?{query}" if query else str(scope["path"])


def _too_large(limit: int) -> Refusal:
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body has more than {limit:,} bytes"
