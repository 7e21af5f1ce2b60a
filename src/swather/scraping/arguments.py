"""What a user says of requests: the arguments of get() and post(), and a scraper's own headers."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Final, TypedDict
from urllib.parse import urlencode

import msgspec

from swather.errors import FetchError, InputError
from swather.model.payload import encode
from swather.net.egress import DIRECT, Egress
from swather.net.redirects import HARMLESS
from swather.net.request import Request, is_http, origin_of, split_url

Headers = Mapping[str, str] | None
Value = str | int | float
Fields = Mapping[str, Value | Iterable[Value] | None] | None
HeaderFields = Mapping[str, str | Mapping[str, str]]
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_MAX_CHARACTERS: Final = 8_000
# The client's own business, or a request's.
_REFUSED: Final = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "cookie",
     "proxy-authorization"}
)  # fmt: skip


class RequestFields(TypedDict, total=False):
    """What get() and post() say about a request."""

    headers: Headers
    params: Fields
    timeout: float | None
    data: bytes | str | Fields
    json: Any
    proxy: str | None
    profile: str | None
    etag: str | None
    last_modified: str | datetime | None
    trust_redirects: bool
    max_wait: float | None


def request_of(
    method: str,
    url: str,
    *,
    headers: Headers = None,
    params: Fields = None,
    timeout: float | None = None,
    data: bytes | str | Fields = None,
    json: Any = None,
    proxy: str | None = None,
    profile: str | None = None,
    etag: str | None = None,
    last_modified: str | datetime | None = None,
    trust_redirects: bool = False,
    max_wait: float | None = None,
) -> Request:
    if data is not None and json is not None:
        raise InputError("post() takes data or json, not both")
    body, media_type = (None, "") if data is json is None else _body_of(data, json)
    sent = {str(name): str(value) for name, value in headers.items()} if headers else {}
    if media_type and not any(name.lower() == "content-type" for name in sent):
        sent["Content-Type"] = media_type
    if etag:
        sent["If-None-Match"] = etag
    if last_modified:
        sent["If-Modified-Since"] = _http_date(last_modified)
    return Request(
        method=method,
        url=url,
        headers=sent,
        params=_fields_of(params) if params else {},
        body=body,
        timeout=timeout,
        egress=DIRECT if proxy is None else Egress.through(proxy),
        profile=profile,
        trust_redirects=trust_redirects,
        max_wait=max_wait,
    )


def _http_date(date: str | datetime) -> str:
    if isinstance(date, str):
        return date
    if date.tzinfo is None:
        raise InputError(f"last_modified must have a time zone, got {date!r}")
    return format_datetime(date.astimezone(UTC), usegmt=True)


def _body_of(data: bytes | str | Fields, json: Any) -> tuple[bytes | None, str]:
    if json is not None:
        return encode(json, what="json", max_bytes=32 << 20).encode(), "application/json"
    match data:
        case None:
            return None, ""
        case bytes():
            return data, ""
        case str():
            return data.encode(), "text/plain; charset=utf-8"
        case _:
            form = urlencode(_fields_of(data), doseq=True)
            return form.encode(), "application/x-www-form-urlencoded"


def _fields_of(fields: Fields) -> dict[str, str | list[str]]:
    """Text for each field; a list keeps its order, None leaves the field out."""
    return {
        str(name): [str(one) for one in value]
        if isinstance(value, list | tuple | set | frozenset)
        else str(value)
        for name, value in (fields or {}).items()
        if value is not None
    }


class OwnHeaders:
    """`everywhere` go with every request, those of an origin with requests to it. What a request
    says itself comes first, and a browser profile has its own User-Agent.
    """

    __slots__ = ("_everywhere", "_of_origins", "user_agent")

    def __init__(self, user_agent: str | None, headers: HeaderFields | None) -> None:
        self.user_agent = user_agent
        given = (headers or {}).items()
        self._everywhere = {name: value for name, value in given if isinstance(value, str)}
        self._of_origins = {
            origin_of(name): dict(value) for name, value in given if not isinstance(value, str)
        }
        if user_agent is not None:
            self._everywhere["User-Agent"] = user_agent

    def headers_for(self, url: str) -> Mapping[str, str]:
        """What goes with a request to this URL."""
        if not self._of_origins:
            return self._everywhere
        return {**self._everywhere, **self._of_origins.get(origin_of(url), {})}

    def and_of(self, request: Request) -> Callable[[str], Mapping[str, str]]:
        """The same for a page in a browser, with those of the page's own request, which go to its
        origin only. The User-Agent is the browser's business.
        """
        origin = origin_of(request.url)

        def headers(url: str) -> Mapping[str, str]:
            found = dict(self.headers_for(url))
            found.pop("User-Agent", None)
            return {**found, **request.headers} if origin_of(url) == origin else found

        return headers

    def added_to(self, request: Request) -> Request:
        own = self.headers_for(request.url)
        if not own:
            return request
        taken = {name.lower() for name in request.headers}
        if request.profile is not None:
            taken.add("user-agent")
        added = {name: value for name, value in own.items() if name.lower() not in taken}
        return msgspec.structs.replace(request, headers={**added, **request.headers})


def check_user_agent(field: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise InputError(
            f"{field}: expected text such as 'my-bot/1.0 (me@example.com)', got {value!r}"
        )
    return _checked_value(field, value)


def check_headers(field: str, value: Any) -> HeaderFields | None:
    """Headers that may be secrets need an origin: a scraper follows links to anywhere."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        got = "text" if isinstance(value, str) else repr(value)
        raise InputError(f"{field}: expected a mapping of names to values, got {got}")
    checked: dict[str, str | dict[str, str]] = {}
    for name, given in value.items():
        if isinstance(given, Mapping):
            checked[_checked_origin(field, name)] = {
                _checked_name(field, inner): _checked_value(f"{field}: {inner}", text)
                for inner, text in given.items()
            }
        elif _checked_name(field, name).lower() in HARMLESS:
            checked[name] = _checked_value(f"{field}: {name}", given)
        else:
            raise InputError(
                f"{field}: {name!r} may be a secret, so say which site gets it: "
                f"headers={{'https://api.example.com': {{{name!r}: …}}}}"
            )
    return checked


def _checked_origin(field: str, text: Any) -> str:
    try:
        rest = split_url(text)[1] if isinstance(text, str) and is_http(text) else None
        if rest in ("", "/"):
            return origin_of(text)
    except FetchError:
        pass
    raise InputError(f"{field}: expected an origin such as 'https://api.example.com', got {text!r}")


def _checked_name(field: str, name: Any) -> str:
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise InputError(f"{field}: {name!r} cannot be the name of a header")
    if name.lower() in _REFUSED:
        raise InputError(f"{field}: {name!r} cannot be set for a whole scraper")
    return name


def _checked_value(what: str, value: Any) -> str:
    """Its text is not shown: it may be a secret."""
    if not isinstance(value, str) or _VALUE.fullmatch(value) is None:
        raise InputError(f"{what}: expected text without line breaks or control characters")
    if len(value) > _MAX_CHARACTERS:
        raise InputError(f"{what}: longer than {_MAX_CHARACTERS:,} characters")
    return value
