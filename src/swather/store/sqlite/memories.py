"""What scrapers remember across their runs. It is written with the results, see finish."""

from collections.abc import Collection
from typing import Any

from swather.model.payload import decode
from swather.store.checks import check_recall
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


class SQLiteMemories:
    """See swather.store.ports.Memories."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def recall(
        self, scraper: str, keys: Collection[str], *, max_age_seconds: float | None = None
    ) -> dict[str, Any]:
        oldest = self._connection.clock.wall() - check_recall(keys, max_age_seconds)
        with self._connection.reading():
            rows = self._connection.many_rows(
                queries.recall, [(scraper, key, oldest) for key in keys]
            )
        return {key: decode(value) for key, value in rows}
