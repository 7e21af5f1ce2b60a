"""Where the server is: a URL as the user gave it, as libpq takes it, and as it may be shown."""

from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from swather.errors import BadURL

PREPARE: Final = "prepare"
_FORM: Final = "postgresql://user@host/database"
_DEFAULTS: Final = {
    "application_name": "swather",
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}


class Address(NamedTuple):
    """`shown` has no password. `pooled`: a pooler hands out connections per transaction, so nothing
    may be kept on them; the user says so by `?prepare=off`.
    """

    url: str
    conninfo: str
    shown: str
    pooled: bool


def address_of(url: str) -> Address:
    """The address behind a URL, or BadURL that says what is wrong with it."""
    shown = redacted(url)
    try:
        parts = urlsplit(url)
        parameters = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError as error:
        raise BadURL(f"{shown!r} is not a database URL ({error}); use {_FORM}") from error
    prepare = dict(parameters).get(PREPARE, "on")
    if prepare not in ("on", "off"):
        raise BadURL(f"{PREPARE} in {shown!r} must be on or off, got {prepare!r}")
    rest = urlencode([pair for pair in parameters if pair[0] != PREPARE])
    try:
        given = conninfo_to_dict(urlunsplit(parts._replace(query=rest)))
        conninfo = make_conninfo("", **{**_DEFAULTS, **given})
    except psycopg.Error as error:
        said = str(error).strip()
        raise BadURL(f"{shown!r} is not a database URL ({said}); use {_FORM}") from error
    return Address(url, conninfo, shown, pooled=prepare == "off")


def redacted(url: str) -> str:
    """The URL without its password, wherever it stands."""
    try:
        parts = urlsplit(url)
        if parts.password is not None:
            host = parts.netloc.rpartition("@")[2]
            parts = parts._replace(netloc=f"{parts.username}:***@{host}")
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return "***"
    if any(name == "password" for name, _ in pairs):
        hidden = [(name, "***" if name == "password" else value) for name, value in pairs]
        parts = parts._replace(query=urlencode(hidden, safe="*/"))
    return urlunsplit(parts)
