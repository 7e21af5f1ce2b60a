"""A backup by pg_dump, while others work. No twin: SQLite's is one statement (upkeep.py)."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from swather import permissions
from swather.errors import InputError, StoreError
from swather.store.postgres.address import Address

_INSTALL: Final = (
    "install PostgreSQL's client programs (postgresql-client on Debian and Ubuntu, "
    "`brew install libpq` on macOS)"
)


def back_up(address: Address, path: Path) -> None:
    """Write a file that pg_restore reads."""
    if path.exists():
        raise InputError(f"{path} exists already; a backup never overwrites a file")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the folder {path.absolute().parent} does not exist; create it first")
    program = shutil.which("pg_dump")
    if program is None:
        raise StoreError(f"a backup needs pg_dump, which is not on the PATH; {_INSTALL}")
    # Others can read a command line, so passwords go through the environment and a file.
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
        command = [
            program, "--format=custom", "--schema=swather", "--no-password", f"--file={path}",
            "--dbname=" + make_conninfo("", **given),
        ]  # fmt: skip
        permissions.create(path)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        path.unlink(missing_ok=True)
        said = done.stderr.strip().partition("\n")[0]
        raise StoreError(f"{address.shown} could not be backed up to {path}: {said}")
