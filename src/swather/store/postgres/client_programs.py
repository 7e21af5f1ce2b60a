"""PostgreSQL's own programs, called with hidden passwords. No twin: SQLite needs none."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import NamedTemporaryFile
from typing import Final, NamedTuple

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from swather.errors import StoreError
from swather.store.postgres.address import Address

_INSTALL: Final = (
    "install PostgreSQL's client programs (postgresql-client on Debian and Ubuntu, "
    "`brew install libpq` on macOS)"
)


class Access(NamedTuple):
    """How a program reaches the database: an argument and an environment."""

    dbname: str
    environment: dict[str, str]


def program(name: str, purpose: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise StoreError(f"{purpose} needs {name}, which is not on the PATH; {_INSTALL}")
    return found


@contextmanager
def access_to(address: Address) -> Iterator[Access]:
    """Others can read a command line, so passwords go through the environment and a file."""
    given = conninfo_to_dict(address.conninfo)
    environment = dict(os.environ)
    if (password := given.pop("password", None)) is not None:
        environment["PGPASSWORD"] = str(password)
    with NamedTemporaryFile("w", prefix="swather-", suffix=".conf") as services:
        if (key_password := given.pop("sslpassword", None)) is not None:
            services.write(f"[swather]\nsslpassword={key_password}\n")
            services.flush()
            environment["PGSERVICEFILE"] = services.name
            given.setdefault("service", "swather")
        yield Access("--dbname=" + make_conninfo("", **given), environment)
