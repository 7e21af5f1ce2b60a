"""Restores a backup of `pg_dump` in one transaction: all of it, or nothing, whatever is killed."""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from swather.errors import InputError, StoreError
from swather.store.postgres.address import Address
from swather.store.postgres.client_programs import Access, access_to, program
from swather.store.postgres.statements import queries

_AT_ONCE: Final = 1 << 20


def restore(address: Address, backup: Path) -> Iterator[int]:
    """Replace the schema by the one in the backup; yields how many bytes have been sent so far."""
    pg_restore = program("pg_restore", "a restore")
    psql = program("psql", "a restore")
    _check(pg_restore, backup)
    with access_to(address) as access, TemporaryFile() as reading, TemporaryFile() as writing:
        reader = subprocess.Popen(
            [pg_restore, "--no-owner", "--file=-", str(backup)],
            stdout=subprocess.PIPE,
            stderr=reading,
        )
        writer = _psql(psql, access, writing)
        assert reader.stdout is not None
        assert writer.stdin is not None
        try:
            yield from _send(reader.stdout, writer.stdin)
            if reader.wait():
                raise StoreError(
                    f"{backup} could not be read: {_first_line(reading)}; nothing was changed"
                )
            # Not before all was read: without it, psql rolls back what it was sent.
            writer.stdin.write(queries.end_restore.encode())
            writer.stdin.close()
        except BrokenPipeError:
            pass  # psql has ended, and says why
        finally:
            reader.kill()
            reader.wait()
            reader.stdout.close()
            _close(writer.stdin)
            code = writer.wait()
        if code:
            raise StoreError(
                f"{backup} could not be restored to {address.shown}: {_first_line(writing)}; "
                "nothing was changed"
            )


def _check(pg_restore: str, backup: Path) -> None:
    listed = subprocess.run(
        [pg_restore, "--list", str(backup)], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        said = listed.stderr.strip().partition("\n")[0]
        raise InputError(f"{backup} is not a backup of a PostgreSQL database: {said}")
    if " swather " not in listed.stdout:
        raise InputError(f"{backup} is a PostgreSQL backup, but not of Swather's tables")


def _psql(psql: str, access: Access, errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [
            psql, "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1",
            "--output=/dev/null", access.dbname,
        ],
        env=access.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
    )  # fmt: skip


def _send(source: IO[bytes], target: IO[bytes]) -> Iterator[int]:
    target.write(queries.begin_restore.encode())
    sent = 0
    while data := source.read(_AT_ONCE):
        target.write(data)
        sent += len(data)
        yield sent
    target.flush()


def _close(stream: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        stream.close()


def _first_line(errors: IO[bytes]) -> str:
    """What went wrong, without what a server says about it in passing."""
    errors.seek(0)
    lines = errors.read(1 << 16).decode(errors="replace").splitlines()
    wrong = [line for line in lines if "error" in line.lower()] or lines or ["no reason given"]
    return wrong[0].removeprefix("psql:<stdin>:").strip()
