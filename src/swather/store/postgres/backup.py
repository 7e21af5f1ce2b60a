"""A backup by pg_dump, while others work. No twin: SQLite's is one statement (upkeep.py)."""

import subprocess
from pathlib import Path

from swather import permissions
from swather.errors import InputError, StoreError
from swather.store.postgres.address import Address
from swather.store.postgres.client_programs import access_to, program


def back_up(address: Address, path: Path) -> None:
    """Write a file that pg_restore reads."""
    if path.exists():
        raise InputError(f"{path} already exists; a backup never overwrites a file")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the folder {path.absolute().parent} does not exist; create it first")
    pg_dump = program("pg_dump", "a backup")
    with access_to(address) as access:
        command = [
            pg_dump, "--format=custom", "--schema=swather", "--no-password", f"--file={path}",
            access.dbname,
        ]  # fmt: skip
        permissions.create(path)
        done = subprocess.run(
            command, env=access.environment, capture_output=True, text=True, check=False
        )
    if done.returncode:
        path.unlink(missing_ok=True)
        said = done.stderr.strip().partition("\n")[0]
        raise StoreError(f"{address.shown} could not be backed up to {path}: {said}")
