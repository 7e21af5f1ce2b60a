"""Notices: written once, claimed by processes that have hooks, delivered."""

from collections.abc import Collection
from typing import Any

from swather.model.notice import (
    FRESH_SECONDS,
    MAX_BREAKERS_PER_HOUR,
    Delivery,
    DeliveryState,
    NewNotice,
    Notice,
    Subscription,
)
from swather.model.payload import encode
from swather.store.checks import check_limit, check_seconds
from swather.store.clock import at
from swather.store.finishing import clipped
from swather.store.notice_rows import delivery_of, notice_of, values_of, wanted
from swather.store.sqlite.connection import Connection, ids
from swather.store.sqlite.statements import queries


class SQLiteNotices:
    """See swather.store.ports.Notices."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, new: NewNotice) -> bool:
        with self._connection.transaction():
            return add_notice(self._connection, new)

    def meet(self, hook: Subscription) -> None:
        this = {"hook": hook.key, "words": hook.words, "now": self._connection.clock.wall()}
        with self._connection.transaction():
            self._connection.execute(queries.meet_hook, this)

    def claim(self, hook: Subscription, *, lease_seconds: float) -> Delivery | None:
        check_seconds("lease_seconds", lease_seconds)
        with self._connection.reading():
            if self._next(hook) is None:
                return None
        with self._connection.transaction():
            number = self._next(hook)
            if number is None:
                return None
            this = {
                "notice_id": number,
                "hook": hook.key,
                "words": hook.words,
                "until": self._connection.clock.wall() + lease_seconds,
            }
            self._connection.execute(queries.claim_delivery, this)
            row = self._connection.row(
                queries.get_delivery, {"notice_id": number, "hook": hook.key}
            )
            assert row is not None
            return _delivery_of(row)

    def delivered(self, delivery: Delivery) -> bool:
        return self._end(delivery, DeliveryState.DELIVERED, "", 0.0)

    def undelivered(self, delivery: Delivery, error: str, *, retry_seconds: float | None) -> bool:
        if retry_seconds is None:
            return self._end(delivery, DeliveryState.FAILED, error, 0.0)
        check_seconds("retry_seconds", retry_seconds)
        return self._end(delivery, DeliveryState.WAITING, error, retry_seconds)

    def find(self, *, limit: int = 100) -> list[Notice]:
        with self._connection.reading():
            rows = self._connection.rows(queries.list_notices, (check_limit(limit),))
        return [notice_of(row, at(row[3])) for row in rows]

    def deliveries(self, notice_ids: Collection[int]) -> list[Delivery]:
        if not notice_ids:
            return []
        with self._connection.reading():
            rows = self._connection.rows(queries.list_deliveries, (ids(notice_ids),))
        return [_delivery_of(row) for row in rows]

    def retry(self, notice_ids: Collection[int] | None = None) -> int:
        now = self._connection.clock.wall()
        with self._connection.transaction():
            if notice_ids is None:
                return self._connection.execute_counting(queries.retry_all_deliveries, {"now": now})
            if not notice_ids:
                return 0
            return self._connection.execute_counting(
                queries.retry_deliveries, (now, ids(notice_ids))
            )

    def _next(self, hook: Subscription) -> int | None:
        """The notice to deliver next."""
        now = self._connection.clock.wall()
        this = {"hook": hook.key, "now": now}
        found: int | None = self._connection.value(queries.due_delivery, this)
        if found is not None:
            return found
        sql = queries.unclaimed_of_others if hook.all_others else queries.unclaimed_of_scrapers
        lists = {name: encode(names) for name, names in wanted(hook).items()}
        row = self._connection.row(
            sql, {"hook": hook.key, "fresh_since": now - FRESH_SECONDS, **lists}
        )
        return None if row is None else row[0]

    def _end(
        self, delivery: Delivery, state: DeliveryState, error: str, due_in_seconds: float
    ) -> bool:
        this = {
            "notice_id": delivery.notice.id,
            "hook": delivery.hook,
            "attempts": delivery.attempts,
            "state": str(state),
            "error": clipped(error),
            "due_at": self._connection.clock.wall() + due_in_seconds,
        }
        with self._connection.transaction():
            return self._connection.execute_counting(queries.end_delivery, this) == 1


def add_notice(connection: Connection, new: NewNotice) -> bool:
    """Inside a transaction."""
    this = {**values_of(new), "now": connection.clock.wall()}
    return connection.execute_counting(queries.add_notice, this) == 1


def tell_breaker(connection: Connection, scraper: str, new: NewNotice) -> None:
    """Inside a transaction: a breaker of the scraper has opened."""
    this = {"scraper": scraper, "since": connection.clock.wall() - 3_600}
    if connection.value(queries.recent_breakers, this) < MAX_BREAKERS_PER_HOUR:
        add_notice(connection, new)


def _delivery_of(row: tuple[Any, ...]) -> Delivery:
    return delivery_of(row, at(row[3]), at(row[11]))
