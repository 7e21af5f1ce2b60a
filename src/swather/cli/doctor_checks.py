"""What `swather doctor` checks."""

import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from swather import __version__
from swather.cli import database
from swather.errors import SwatherError
from swather.runs.database_checks import intact_check
from swather.runs.egress_checks import chromium_check, proxies_check, tor_checks
from swather.runs.health import Check, Health
from swather.runs.machine_checks import folder_checks
from swather.runs.storage import storage_checks
from swather.runs.telemetry_checks import telemetry_checks
from swather.settings import Settings
from swather.store import factory

NEEDED_PYTHON: Final = (3, 11)
# Before it, a reset of the write-ahead log could damage a file.
NEEDED_SQLITE: Final = (3, 51, 3)
PACKAGES: Final = ("apsw", "msgspec", "psycopg", "pydantic-settings", "rich", "selectolax", "typer",
                   "wreq")  # fmt: skip
EXTRAS: Final = {
    "aiohttp": "aiohttp",
    "browser": "playwright",
    "pandas": "pandas",
    "parquet": "pyarrow",
    "s3": "obstore",
    "tracing": "opentelemetry-sdk",
    "web": "fastapi",
    "xlsx": "xlsxwriter",
}


def checks(db: str | None) -> list[Check]:
    settings = _known_settings()
    return [
        Check("swather", Health.OK, __version__),
        _python(),
        _sqlite(),
        *_packages(),
        *_extras(),
        _settings(),
        *_database(db),
        *folder_checks(db or factory.DEFAULT_URL),
        *storage_checks(settings),
        *tor_checks(settings),
        chromium_check(settings),
        *telemetry_checks(settings),
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
    for extra, package in EXTRAS.items():
        what = f"extra {extra}"
        try:
            yield Check(what, Health.OK, f"{package} {version(package)}")
        except PackageNotFoundError:
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


def _database(db: str | None) -> Iterator[Check]:
    """The database, and its pool of proxies if it can be asked for them."""
    what = "database"
    with ExitStack() as stack:
        try:
            path = factory.sqlite_path(db or factory.DEFAULT_URL)
            if path is not None and not path.exists():
                said = f"{path} does not exist yet; it is created when needed"
                yield Check(what, Health.OK, said)
                return
            store = stack.enter_context(database.opened(db))
            yield intact_check(store)
            yield proxies_check(store)
        except SwatherError as error:
            yield Check(what, Health.PROBLEM, " ".join(str(error).split()))
