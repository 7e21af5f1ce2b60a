"""What scrapers remember across their runs. It is written with the results, see finish."""

from collections.abc import Collection
from typing import Any

from swather.model.payload import decode
from swather.store.checks import check_recall
from swather.store.postgres.arrays import Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


class PostgresMemories:
    """See swather.store.ports.Memories."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def recall(
        self, scraper: str, keys: Collection[str], *, max_age_seconds: float | None = None
    ) -> dict[str, Any]:
        rows = self._connection.rows(
            queries.recall,
            {
                "scraper": scraper,
                "keys": Texts(keys),
                "max_age_seconds": check_recall(keys, max_age_seconds),
            },
            hot=True,
        )
        return {key: decode(value) for key, value in rows}
