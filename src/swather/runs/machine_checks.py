"""Checks of this machine's folders: space, permissions, the file system of a database."""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from swather import posix
from swather.runs.health import Check, Health
from swather.runs.words import size
from swather.store import factory

LITTLE_SPACE_BYTES: Final = 1 << 30
# With less, SQLite's log and a few saved files fill it within minutes.
NO_SPACE_BYTES: Final = 16 << 20


def folder_checks(url: str, others: Iterable[Path] = ()) -> Iterator[Check]:
    """The folder of the database, or the current one if that is on a server, and these others:
    each file system is told once.
    """
    path = factory.sqlite_path(url)
    folder = Path.cwd() if path is None else path.absolute().parent
    if not folder.is_dir():
        yield Check("folder", Health.PROBLEM, f"{folder} does not exist")
        return
    known: set[int] = set()
    for each in (folder, *map(_existing, others)):
        device = each.stat().st_dev
        if device not in known:
            known.add(device)
            yield _space(each)
        if not os.access(each, os.W_OK):
            yield Check("folder", Health.PROBLEM, f"{each} cannot be written to")
    if path is not None:
        yield _file_system(folder)


def _space(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    health = Health.OK
    if free < LITTLE_SPACE_BYTES:
        health = Health.WARNING if free >= NO_SPACE_BYTES else Health.PROBLEM
    return Check("disk", health, f"{size(free)} free in {folder}")


def _file_system(folder: Path) -> Check:
    network = posix.network_file_system(folder)
    if network is None:
        return Check("file system", Health.OK, "local")
    said = f"{network}: SQLite is not safe there; use a local disk or PostgreSQL"
    return Check("file system", Health.PROBLEM, said)


def _existing(folder: Path) -> Path:
    """The folder, or the one in which it will be made."""
    absolute = folder.absolute()
    return next(each for each in (absolute, *absolute.parents) if each.is_dir())
