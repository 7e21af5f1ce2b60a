"""The settings row, and the version by which workers notice changes."""

import time
from typing import Any, Final

from swather.model.payload import decode, encode
from swather.model.task import LOGGED, EventKind, EventLevel
from swather.store.checks import check_setting
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries

_LEVEL_AGE_SECONDS: Final = 1.0


class SQLiteSettings:
    """See swather.store.ports.Settings."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._level = EventLevel.FAILURES
        self._level_read_at = -_LEVEL_AGE_SECONDS

    def all(self) -> dict[str, Any]:
        with self._connection.reading():
            rows = self._connection.rows(queries.all_settings)
            return {name: decode(value) for name, value in rows}

    def set(self, name: str, value: Any) -> None:
        check_setting(name, value)
        with self._connection.transaction():
            self._connection.execute(
                queries.set_setting, {"name": name, "value": encode(value, what=f"setting {name}")}
            )
            self.bump_control_version()
        self._level_read_at = -_LEVEL_AGE_SECONDS

    def unset(self, name: str) -> None:
        with self._connection.transaction():
            self._connection.execute(queries.unset_setting, (name,))
            self.bump_control_version()
        self._level_read_at = -_LEVEL_AGE_SECONDS

    def control_version(self) -> int:
        with self._connection.reading():
            version: int = self._connection.value(queries.control_version)
            return version

    def bump_control_version(self) -> None:
        """Make workers notice; called inside the transaction that changes something."""
        self._connection.execute(queries.change_control)

    @property
    def event_level(self) -> EventLevel:
        """What to log, read at most once a second."""
        now = time.monotonic()
        if now - self._level_read_at >= _LEVEL_AGE_SECONDS:
            value = self._connection.value(queries.event_level)
            self._level = EventLevel(decode(value)) if value is not None else EventLevel.FAILURES
            self._level_read_at = now
        return self._level

    def logs(self, kind: EventKind) -> bool:
        """Whether events of this kind are logged now."""
        return kind in LOGGED[self.event_level]
