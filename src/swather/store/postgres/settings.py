"""The settings row, and the version by which workers notice changes."""

from typing import Any

from swather.model.payload import decode, encode
from swather.model.task import EventLevel
from swather.store.checks import check_setting
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


class PostgresSettings:
    """See swather.store.ports.Settings."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> dict[str, Any]:
        rows = self._connection.rows(queries.all_settings)
        return {name: decode(value) for name, value in rows}

    def set(self, name: str, value: Any) -> None:
        check_setting(name, value)
        encoded = encode(value, what=f"setting {name}")

        def work() -> None:
            self._connection.execute(queries.set_setting, {"name": name, "value": encoded})
            self.bump_control_version()

        self._connection.transact(work)

    def unset(self, name: str) -> None:
        def work() -> None:
            self._connection.execute(queries.unset_setting, {"name": name})
            self.bump_control_version()

        self._connection.transact(work)

    def control_version(self) -> int:
        version: int = self._connection.value(queries.control_version)
        return version

    def bump_control_version(self) -> None:
        """Make workers notice; the last statement of the transaction that changes something, since
        all such transactions wait for this row.
        """
        self._connection.execute(queries.change_control)

    def event_level(self) -> EventLevel:
        """What to log, as of this statement."""
        value = self._connection.value(queries.event_level)
        return level_of(value)


def level_of(value: str | None) -> EventLevel:
    """The level behind the setting's stored value."""
    return EventLevel.FAILURES if value is None else EventLevel(decode(value))
