"""Numbered migrations, the same numbers on both databases, each applied once."""

import shlex
from collections.abc import Callable
from importlib.resources import files
from typing import NamedTuple

from swather.errors import SchemaMissing, SchemaTooNew, SchemaTooOld


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


def migrations_in(package: str) -> list[Migration]:
    """The migrations of a package's `migrations` folder, in order, without gaps."""
    found = sorted(
        (entry.name, entry.read_text(encoding="utf-8"))
        for entry in (files(package) / "migrations").iterdir()
        if entry.name.endswith(".sql")
    )
    migrations = [Migration(int(name[:4]), name.removesuffix(".sql"), sql) for name, sql in found]
    assert [m.number for m in migrations] == list(range(1, len(migrations) + 1)), (
        f"the migrations of {package} are not numbered 1 to {len(migrations)}"
    )
    return migrations


def pending(package: str, version: int) -> list[Migration]:
    return [m for m in migrations_in(package) if m.number > version]


def latest(package: str) -> int:
    return migrations_in(package)[-1].number


def check_version(version: int, wanted: int, where: str) -> None:
    """Raise unless this release supports the schema version at `where`."""
    if version == wanted:
        return
    if version == 0:
        raise SchemaMissing(
            f"{where} has no Swather tables yet; create them with: "
            f"swather db init --db {shlex.quote(where)}"
        )
    if version < wanted:
        raise SchemaTooOld(
            f"{where} has schema {version}, this release needs {wanted}; "
            f"run: swather db migrate --db {shlex.quote(where)}"
        )
    raise SchemaTooNew(
        f"{where} has schema {version}, made by a later release of Swather; this one supports "
        f"up to {wanted}. Upgrade Swather, or use another database"
    )


def apply(
    package: str,
    version: int,
    run: Callable[[Migration], None],
    *,
    up_to: int | None = None,
) -> list[Migration]:
    """Run each pending migration (each in its own transaction, by `run`) and say which."""
    done = []
    for migration in pending(package, version):
        if up_to is not None and migration.number > up_to:
            break
        run(migration)
        done.append(migration)
    return done
