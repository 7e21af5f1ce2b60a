"""How a client reaches a server: one request after another, problems as errors.

Without an HTTP package: what the standard library has is enough, for streams, too.
"""

import http.client
import json
import os
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import SplitResult, urlencode, urlsplit

from swather.errors import (
    InputError,
    RefusedInput,
    ServerRefused,
    ServerUnreachable,
    UnknownToServer,
)

TOKEN_VARIABLE: Final = "SWATHER_API_TOKEN"  # noqa: S105 - its name
TIMEOUT_SECONDS: Final = 60.0
CHUNK_BYTES: Final = 64 << 10
_MAX_PROBLEM_BYTES: Final = 1 << 20
# The server is there, but what it needs is not.
_AWAY: Final = frozenset({502, 503, 504})
_KINDS: Final[Mapping[int, type[ServerRefused]]] = {404: UnknownToServer, 422: RefusedInput}
_JSON: Final = "application/json"

Query = Mapping[str, Any]


class Connection:
    """To one server. Each request has a connection of its own, so that threads may share this."""

    def __init__(self, url: str, token: str | None, *, timeout_seconds: float) -> None:
        self.url = url.rstrip("/")
        self._parts = _parts_of(url)
        self._token = _token_of(token)
        self._timeout_seconds = timeout_seconds

    def ask(self, method: str, path: str, *, query: Query | None = None, body: Any = None) -> Any:
        """The JSON that a route answers with."""
        text = None if body is None else json.dumps(body).encode()
        with _Request(self._opened(), self.url) as request:
            answer = request.send(method, self._target(path, query), text, self._headers(_JSON))
            return _json_of(answer.read())

    def upload(
        self, path: str, chunks: Iterable[bytes], media_type: str, *, query: Query | None = None
    ) -> Any:
        """The same, for a body of any length."""
        headers = {**self._headers(media_type), "Transfer-Encoding": "chunked"}
        with _Request(self._opened(), self.url) as request:
            answer = request.send("POST", self._target(path, query), chunks, headers)
            return _json_of(answer.read())

    def stream(self, path: str, *, query: Query | None = None) -> Iterator[bytes]:
        """An answer of any length, piece by piece; ServerUnreachable if it breaks off."""
        with _Request(self._opened(), self.url) as request:
            answer = request.send("GET", self._target(path, query), None, self._headers(_JSON))
            while chunk := answer.read(CHUNK_BYTES):
                yield chunk

    def _opened(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout_seconds)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(
            host, port, timeout=self._timeout_seconds, context=context
        )

    def _target(self, path: str, query: Query | None) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        words = urlencode({name: _word(value) for name, value in given.items()}, doseq=True)
        return f"{self._parts.path.rstrip('/')}{path}{'?' if words else ''}{words}"

    def _headers(self, media_type: str) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self._token}",
            "Accept": _JSON,
            "Content-Type": media_type,
        }


class _Request:
    """One request, whose connection is closed at the end of the block."""

    def __init__(self, connection: http.client.HTTPConnection, url: str) -> None:
        self._connection = connection
        self._url = url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._connection.close()
        if isinstance(error, OSError | http.client.HTTPException):
            raise ServerUnreachable(f"{self._url} does not answer: {_said(error)}") from error

    def send(
        self,
        method: str,
        target: str,
        body: bytes | Iterable[bytes] | None,
        headers: dict[str, str],
    ) -> http.client.HTTPResponse:
        """The answer, if it is a good one."""
        is_streamed = not isinstance(body, bytes | None)
        try:
            self._connection.request(method, target, body, headers, encode_chunked=is_streamed)
        except (BrokenPipeError, ConnectionResetError):
            # It may have answered before it had taken everything, and that is why.
            if not is_streamed:
                raise
        answer = self._connection.getresponse()
        if not 200 <= answer.status < 300:
            raise _problem(self._url, answer.status, answer.read(_MAX_PROBLEM_BYTES))
        return answer


def _parts_of(url: str) -> SplitResult:
    with suppress(ValueError):
        parts = urlsplit(url)
        has_host = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
        if has_host and parts.username is None and not parts.query and not parts.fragment:
            return parts
    raise InputError(
        f"expected the address of a server, such as http://127.0.0.1:8765, got {url!r}; its token "
        "is given apart"
    )


def _token_of(given: str | None) -> str:
    token = given or os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise InputError(
            f"a server needs a token: set {TOKEN_VARIABLE}; `swather serve --show-token` prints "
            "it where the server runs"
        )
    if not (token.isascii() and token.isprintable()):
        raise InputError(f"the token in {TOKEN_VARIABLE} must consist of printable characters")
    return token


def _word(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return [str(each) for each in value] if isinstance(value, list | tuple) else value


def _json_of(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ServerUnreachable("the answer is not JSON; is this a Swather server?") from error


def _problem(url: str, status: int, text: bytes) -> ServerRefused | ServerUnreachable:
    """Of RFC 9457, or what something in front of the server says."""
    try:
        told = json.loads(text)
        detail, command = str(told["detail"]), told.get("command")
    except (ValueError, KeyError, TypeError, AttributeError):
        detail, command = f"{url} answers with HTTP {status}; is this a Swather server?", None
    if status in _AWAY:
        return ServerUnreachable(detail)
    return _KINDS.get(status, ServerRefused)(status, detail, str(command) if command else None, url)


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
