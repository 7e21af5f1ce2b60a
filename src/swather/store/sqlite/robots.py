"""The robots.txt of origins, shared by everyone on this database."""

from swather.model.stored_page import StoredRobots
from swather.store.checks import check_origin, check_seconds
from swather.store.clock import at
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


class SQLiteRobots:
    """See swather.store.ports.Robots."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, origin: str) -> StoredRobots | None:
        with self._connection.reading():
            row = self._connection.row(queries.get_robots, {"origin": origin})
        if row is None:
            return None
        return StoredRobots(
            origin=origin,
            status=row[0],
            body=row[1],
            fetched_at=at(row[2]),
            is_fresh=row[3] > self._connection.clock.wall(),
        )

    def put(self, origin: str, status: int, body: bytes, ttl_seconds: float) -> None:
        check_origin(origin)
        check_seconds("ttl_seconds", ttl_seconds)
        now = self._connection.clock.wall()
        with self._connection.transaction():
            self._connection.execute(
                queries.put_robots,
                {
                    "origin": origin,
                    "status": status,
                    "body": body,
                    "now": now,
                    "expires_at": now + ttl_seconds,
                },
            )

    def claim(self, origin: str, holder: str, seconds: float) -> bool:
        check_origin(origin)
        check_seconds("seconds", seconds)
        now = self._connection.clock.wall()
        claim = {"origin": origin, "holder": holder, "now": now, "claimed_until": now + seconds}
        with self._connection.transaction():
            return self._connection.row(queries.claim_robots, claim) is not None

    def release(self, origin: str, holder: str) -> None:
        with self._connection.transaction():
            self._connection.execute(queries.release_robots, {"origin": origin, "holder": holder})
