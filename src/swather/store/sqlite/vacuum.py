"""Vacuums the file: SQLite rewrites all of it, and others wait until it is done."""

import os
import shutil
import tempfile
from pathlib import Path

import apsw

from swather.errors import StoreError
from swather.model.vacuum import Vacuumed
from swather.store.sqlite.connection import Connection


def vacuum_file(connection: Connection) -> Vacuumed:
    path = connection.path
    before = _bytes_of(path)
    with connection.outside_transaction():
        _refuse_without_room(connection, path)
        # The copy that SQLite makes first would otherwise be in memory, however large it is.
        connection.execute("PRAGMA temp_store = FILE")
        try:
            connection.execute("VACUUM")
        finally:
            connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("ANALYZE")
        connection.checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
    return Vacuumed(path.name, before, _bytes_of(path))


def _bytes_of(path: Path) -> int:
    """With its log, where the newest rows are."""
    log = Path(f"{path}-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)


def _refuse_without_room(connection: Connection, path: Path) -> None:
    """All rows are copied to a temporary file and then to the log beside the database."""
    pages, free, page_bytes = (
        connection.value(f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size")
    )
    needed = (pages - free) * page_bytes
    scratch = Path(os.environ.get("SQLITE_TMPDIR") or tempfile.gettempdir())
    folders = {path.absolute().parent: needed}
    if scratch.stat().st_dev == path.stat().st_dev:
        folders[path.absolute().parent] += needed
    else:
        folders[scratch] = needed
    for folder, wanted in folders.items():
        if (room := shutil.disk_usage(folder).free) < wanted:
            raise StoreError(
                f"a vacuum of {path} needs {wanted:,} bytes on the disk of {folder}, where "
                f"{room:,} are free; nothing was changed"
            )
