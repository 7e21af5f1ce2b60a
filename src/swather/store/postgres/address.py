"""The URL of a server as given, for libpq, and as shown. No twin: a SQLite URL is a path."""

from typing import Final, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from swather.errors import BadURL
from swather.masking import masked_database

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
    may depend on one; the user sets it by `?prepare=off`.
    """

    url: str
    conninfo: str
    shown: str
    pooled: bool


def address_of(url: str) -> Address:
    """The address behind a URL, or BadURL that says what is wrong with it."""
    shown = masked_database(url)
    try:
        parts = urlsplit(url)
        parameters = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        raise BadURL(f"{shown!r} is not a database URL; use {_FORM}") from None
    prepare = dict(parameters).get(PREPARE, "on")
    if prepare not in ("on", "off"):
        raise BadURL(f"{PREPARE} in {shown!r} must be on or off, got {prepare!r}")
    others = [pair for pair in parameters if pair[0] != PREPARE]
    # libpq does not read a plus as a space.
    rest = urlencode(others, quote_via=quote)
    try:
        given = conninfo_to_dict(urlunsplit(parts._replace(query=rest)))
        conninfo = make_conninfo("", **{**_DEFAULTS, **given})
    except (psycopg.Error, UnicodeError) as error:
        # It may quote a password, or the whole URL.
        said = "a value is not UTF-8" if isinstance(error, UnicodeError) else _unquoted(error)
        hint = "; write a % in it as %25" if "%" in url else ""
        raise BadURL(f"{shown!r} is not a database URL ({said}); use {_FORM}{hint}") from None
    return Address(url, conninfo, shown, pooled=prepare == "off")


def _unquoted(error: psycopg.Error) -> str:
    return str(error).strip().partition('"')[0].rstrip(": ")
