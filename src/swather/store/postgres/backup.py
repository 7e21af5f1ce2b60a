"""A backup by pg_dump: one consistent snapshot, while others go on working."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

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
    # Others can read a command line, so the password goes by the environment.
    given = conninfo_to_dict(address.conninfo)
    password = given.pop("password", None)
    environment = dict(os.environ)
    if password is not None:
        environment["PGPASSWORD"] = str(password)
    command = [
        program, "--format=custom", "--schema=swather", "--no-password", f"--file={path}",
        "--dbname=" + make_conninfo("", **given),
    ]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        path.unlink(missing_ok=True)
        said = done.stderr.strip().partition("\n")[0]
        raise StoreError(f"{address.shown} could not be backed up to {path}: {said}")
