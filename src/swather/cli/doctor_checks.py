"""What `swather doctor` checks."""

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from swather import __version__, posix
from swather.cli import database, output
from swather.cli.doctor_egress import egress_checks
from swather.cli.doctor_health import Check, Health
from swather.errors import SwatherError
from swather.settings import Settings
from swather.store import factory

NEEDED_PYTHON: Final = (3, 11)
# Before it, a reset of the write-ahead log could damage a file.
NEEDED_SQLITE: Final = (3, 51, 3)
LITTLE_SPACE_BYTES: Final = 1 << 30
PACKAGES: Final = ("apsw", "msgspec", "psycopg", "pydantic-settings", "rich", "selectolax", "typer",
                   "wreq")  # fmt: skip
EXTRAS: Final = {
    "aiohttp": "aiohttp",
    "browser": "playwright",
    "pandas": "pandas",
    "parquet": "pyarrow",
    "xlsx": "xlsxwriter",
}


def checks(db: str | None) -> list[Check]:
    return [
        Check("swather", Health.OK, __version__),
        _python(),
        _sqlite(),
        *_packages(),
        *_extras(),
        _settings(),
        _database(db),
        *_disk(db),
        *egress_checks(db, _known_settings()),
    ]


def _python() -> Check:
    said = f"{platform.python_version()} ({sys.executable}) on {platform.platform()}"
    good = sys.version_info >= NEEDED_PYTHON
    return Check("Python", Health.OK if good else Health.PROBLEM, said)


def _sqlite() -> Check:
    import apsw

    found = apsw.sqlite_lib_version()
    numbers = tuple(int(part) for part in found.split("."))
    if numbers >= NEEDED_SQLITE:
        return Check("SQLite", Health.OK, found)
    needed = ".".join(map(str, NEEDED_SQLITE))
    return Check("SQLite", Health.PROBLEM, f"{found}, older than {needed}: upgrade apsw")


def _packages() -> Iterator[Check]:
    for name in PACKAGES:
        try:
            yield Check(name, Health.OK, version(name))
        except PackageNotFoundError:
            yield Check(name, Health.PROBLEM, "not installed: pip install --upgrade swather")


def _extras() -> Iterator[Check]:
    for extra, module in EXTRAS.items():
        what = f"extra {extra}"
        if importlib.util.find_spec(module) is not None:
            yield Check(what, Health.OK, f"{module} {version(module)}")
        else:
            yield Check(what, Health.OK, f"not installed: pip install 'swather[{extra}]'")


def _settings() -> Check:
    from swather import settings_sources

    try:
        origins = settings_sources.read().origins
    except SwatherError as error:
        return Check("settings", Health.PROBLEM, str(error))
    said = ", ".join(f"{name} from {origin}" for name, origin in origins.items())
    return Check("settings", Health.OK, said or "all defaults")


def _known_settings() -> Settings:
    """Those in force; the defaults if they cannot be read, which `_settings` tells."""
    from swather import settings_sources

    try:
        return settings_sources.read().settings
    except SwatherError:
        return Settings.model_construct()


def _database(db: str | None) -> Check:
    what = "database"
    try:
        path = factory.sqlite_path(db or factory.DEFAULT_URL)
        if path is not None and not path.exists():
            return Check(what, Health.OK, f"{path} does not exist yet; it is created when needed")
        with database.opened(db) as store:
            schema = store.upkeep.schema_version()
            pragmas = store.upkeep.pragmas()
            wrong = store.upkeep.check()
    except SwatherError as error:
        return Check(what, Health.PROBLEM, " ".join(str(error).split()))
    server = pragmas.get("server_version")
    kind = f"PostgreSQL {server}, " if server else ""
    if wrong:
        return Check(what, Health.PROBLEM, f"{database.shown(db)}: {'; '.join(wrong)}")
    return Check(what, Health.OK, f"{kind}{database.shown(db)}, schema version {schema}")


def _disk(db: str | None) -> Iterator[Check]:
    path = factory.sqlite_path(db or factory.DEFAULT_URL)
    folder = Path.cwd() if path is None else path.absolute().parent
    if not folder.is_dir():
        yield Check("folder", Health.PROBLEM, f"{folder} does not exist")
        return
    free = shutil.disk_usage(folder).free
    health = Health.OK if free >= LITTLE_SPACE_BYTES else Health.WARNING
    yield Check("disk", health, f"{output.size(free)} free in {folder}")
    if not os.access(folder, os.W_OK):
        yield Check("folder", Health.PROBLEM, f"{folder} cannot be written to")
    if path is not None:
        network = posix.network_file_system(folder)
        if network is None:
            yield Check("file system", Health.OK, "local")
        else:
            said = f"{network}: SQLite is not safe there; use a local disk or PostgreSQL"
            yield Check("file system", Health.PROBLEM, said)
