"""Circuit breakers: opened, probed through, closed."""

from typing import Any

from swather.model.lane import Breaker
from swather.model.payload import decode, encode
from swather.store.checks import check_breaker
from swather.store.clock import at
from swather.store.notice_rows import breaker_opened
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import lane_id
from swather.store.sqlite.notices import tell_breaker
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries


class SQLiteBreakers:
    """See swather.store.ports.Breakers."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings

    def trip(self, scraper: str, lane: str, *, seen: dict[str, Any], probe_seconds: float) -> None:
        check_breaker(scraper, lane, probe_seconds)
        encoded = encode(seen, what="seen")
        with self._connection.transaction():
            this = self._ids(scraper, lane)
            was_open = self._connection.row(queries.is_open, this)
            self._connection.execute(
                queries.trip_breaker,
                {
                    **this,
                    "seen": encoded,
                    "probe_seconds": probe_seconds,
                    "now": self._connection.clock.wall(),
                },
            )
            if not was_open:
                self._connection.execute(queries.trip_lane, {"lane_id": this["lane_id"]})
                now = repr(self._connection.clock.wall())
                tell_breaker(self._connection, scraper, breaker_opened(scraper, lane, seen, now))
                self._settings.bump_control_version()

    def close(self, scraper: str, lane: str) -> bool:
        check_breaker(scraper, lane)
        with self._connection.transaction():
            this = self._ids(scraper, lane)
            if not self._connection.execute_counting(queries.close_breaker, this):
                return False
            self._connection.execute(queries.untrip_lane, {"lane_id": this["lane_id"]})
            self._connection.execute(queries.wake_lane, {"lane_id": this["lane_id"]})
            self._settings.bump_control_version()
            return True

    def find(self, *, scraper: str | None = None, lane: str | None = None) -> list[Breaker]:
        with self._connection.reading():
            rows = self._connection.rows(queries.list_breakers)
            now = self._connection.clock.wall()
        return [
            _breaker_of(row, now)
            for row in rows
            if scraper in (None, row[0]) and lane in (None, row[1])
        ]

    def _ids(self, scraper: str, lane: str) -> dict[str, Any]:
        return {
            "lane_id": lane_id(self._connection, lane),
            "scraper_id": lane_id(self._connection, scraper, "scraper"),
        }


def _breaker_of(row: tuple[Any, ...], now: float) -> Breaker:
    return Breaker(
        scraper=row[0],
        lane=row[1],
        opened_at=at(row[2]),
        probe_at=at(row[3]),
        probe_seconds=row[4],
        seen=decode(row[5]),
        open_seconds=max(now - row[2], 0.0),
    )
