"""From the arguments of get() and post() to a request."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, TypedDict
from urllib.parse import urlencode

from swather.errors import InputError
from swather.model.payload import encode
from swather.net.egress import DIRECT, Egress
from swather.net.request import Request

Headers = Mapping[str, str] | None
Value = str | int | float
Fields = Mapping[str, Value | Iterable[Value] | None] | None


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
