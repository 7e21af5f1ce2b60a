"""The robots.txt of origins, shared by everyone on this database."""

from swather.model.stored_page import StoredRobots
from swather.store.checks import check_origin, check_seconds
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


class PostgresRobots:
    """See swather.store.ports.Robots."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, origin: str) -> StoredRobots | None:
        row = self._connection.row(queries.get_robots, {"origin": origin}, hot=True)
        if row is None:
            return None
        return StoredRobots(
            origin=origin, status=row[0], body=row[1], fetched_at=row[2], is_fresh=row[3]
        )

    def put(self, origin: str, status: int, body: bytes, ttl_seconds: float) -> None:
        check_origin(origin)
        check_seconds("ttl_seconds", ttl_seconds)
        self._connection.execute(
            queries.put_robots,
            {"origin": origin, "status": status, "body": body, "ttl_seconds": ttl_seconds},
            hot=True,
        )

    def claim(self, origin: str, holder: str, seconds: float) -> bool:
        check_origin(origin)
        check_seconds("seconds", seconds)
        claim = {"origin": origin, "holder": holder, "seconds": seconds}
        return self._connection.row(queries.claim_robots, claim, hot=True) is not None

    def release(self, origin: str, holder: str) -> None:
        self._connection.execute(
            queries.release_robots, {"origin": origin, "holder": holder}, hot=True
        )
