"""Translates SQLite's errors into ours."""

from pathlib import Path
from typing import Final

import apsw

from swather.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseReadOnly,
    DatabaseUnreachable,
    SchemaMissing,
    SchemaTooNew,
    StoreError,
)

BUSY_TIMEOUT_SECONDS: Final = 10.0
_BY_KIND: Final[list[tuple[tuple[type[apsw.Error], ...], type[StoreError], str]]] = [
    (
        (apsw.BusyError,),
        DatabaseBusy,
        f"{{path}} was locked by another process for over {BUSY_TIMEOUT_SECONDS:.0f} s ({{said}})",
    ),
    (
        (apsw.ReadOnlyError,),
        DatabaseReadOnly,
        "{path} cannot be written to; check its owner and permissions ({said})",
    ),
    (
        (apsw.NotADBError, apsw.CorruptError),
        DatabaseDamaged,
        "{path} is not a sound SQLite database ({said}); restore a backup, or choose another path",
    ),
    (
        (apsw.CantOpenError, apsw.PermissionsError, apsw.AuthError),
        DatabaseUnreachable,
        "{path} cannot be opened ({said}); check that its folder exists and belongs to you",
    ),
    ((apsw.FullError,), StoreError, "no space left for {path} ({said}); nothing was changed"),
]
_ANOTHER_RELEASE: Final = "{path} has tables of another release of Swather ({said}); use that one"
# What an error in a statement says.
_BY_WORDS: Final[list[tuple[str, type[StoreError], str]]] = [
    ("no such table", SchemaMissing, "{path} has no such Swather table ({said})"),
    ("no such column", SchemaTooNew, _ANOTHER_RELEASE),
    ("has no column", SchemaTooNew, _ANOTHER_RELEASE),
]


def translated(error: apsw.Error, path: Path) -> StoreError:
    """The error that a verb raises instead."""
    said = str(error)
    for kinds, ours, text in _BY_KIND:
        if isinstance(error, kinds):
            return ours(text.format(path=path, said=said))
    for words, ours, text in _BY_WORDS:
        if isinstance(error, apsw.SQLError) and words in said:
            return ours(text.format(path=path, said=said))
    return StoreError(f"{path}: {said}")
