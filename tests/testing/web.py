"""Asks a site on this machine for a page, without the client that is tested elsewhere."""

from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlsplit


class Got(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def asked_for(url: str, **headers: str) -> Got:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=10)
    try:
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return Got(answer.status, dict(answer.headers), answer.read())
    finally:
        connection.close()
