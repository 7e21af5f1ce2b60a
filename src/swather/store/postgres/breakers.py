"""Circuit breakers: opened, probed through, closed."""

from typing import Any

from swather.model.lane import Breaker
from swather.model.payload import decode, encode
from swather.store.checks import check_breaker
from swather.store.notice_rows import breaker_opened
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import lane_id
from swather.store.postgres.notices import tell_breaker
from swather.store.postgres.repace import locked_lane
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries


class PostgresBreakers:
    """See swather.store.ports.Breakers."""

    def __init__(self, connection: Connection, settings: PostgresSettings) -> None:
        self._connection = connection
        self._settings = settings

    def trip(self, scraper: str, lane: str, *, seen: dict[str, Any], probe_seconds: float) -> None:
        check_breaker(scraper, lane, probe_seconds)
        this = {
            **self._ids(scraper, lane),
            "seen": encode(seen, what="seen"),
            "probe_seconds": probe_seconds,
        }

        def work() -> None:
            locked_lane(self._connection, this["lane_id"])
            was_closed = self._connection.value(queries.trip_breaker, this)
            if was_closed:
                self._connection.execute(queries.trip_lane, this)
                now = self._connection.value(queries.clock).isoformat()
                tell_breaker(self._connection, scraper, breaker_opened(scraper, lane, seen, now))
                self._settings.bump_control_version()

        self._connection.transact(work)

    def close(self, scraper: str, lane: str) -> bool:
        check_breaker(scraper, lane)
        this = self._ids(scraper, lane)

        def work() -> bool:
            locked_lane(self._connection, this["lane_id"])
            if self._connection.row(queries.close_breaker, this) is None:
                return False
            self._connection.execute(queries.untrip_lane, this)
            # Claims that put heads to sleep have the lane locked: all that sleep are seen.
            self._connection.execute(queries.wake_lane, this)
            self._settings.bump_control_version()
            return True

        return self._connection.transact(work)

    def find(self, *, scraper: str | None = None, lane: str | None = None) -> list[Breaker]:
        return [
            _breaker_of(row)
            for row in self._connection.rows(queries.list_breakers)
            if scraper in (None, row[0]) and lane in (None, row[1])
        ]

    def _ids(self, scraper: str, lane: str) -> dict[str, Any]:
        return {
            "lane_id": lane_id(self._connection, lane),
            "scraper_id": lane_id(self._connection, scraper, "scraper"),
        }


def _breaker_of(row: tuple[Any, ...]) -> Breaker:
    return Breaker(
        scraper=row[0],
        lane=row[1],
        opened_at=row[2],
        probe_at=row[3],
        probe_seconds=row[4],
        seen=decode(row[5]),
        open_seconds=row[6],
    )
