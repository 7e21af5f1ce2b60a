"""Notices: written once, claimed by processes that have hooks, delivered."""

from collections.abc import Collection

from swather.model.notice import (
    FRESH_SECONDS,
    MAX_BREAKERS_PER_HOUR,
    Delivery,
    DeliveryState,
    NewNotice,
    Notice,
    Subscription,
)
from swather.store.checks import check_limit, check_seconds
from swather.store.finishing import clipped
from swather.store.notice_rows import delivery_of, notice_of, values_of, wanted
from swather.store.postgres.arrays import Bigints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


class PostgresNotices:
    """See swather.store.ports.Notices."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, new: NewNotice) -> bool:
        return add_notice(self._connection, new)

    def meet(self, hook: Subscription) -> None:
        self._connection.execute(queries.meet_hook, {"hook": hook.key, "words": hook.words})

    def claim(self, hook: Subscription, *, lease_seconds: float) -> Delivery | None:
        check_seconds("lease_seconds", lease_seconds)
        this = {"hook": hook.key, "words": hook.words, "lease_seconds": lease_seconds}
        lists = {name: Texts(names) for name, names in wanted(hook).items()}
        fresh = {"hook": hook.key, "fresh_seconds": FRESH_SECONDS, **lists}
        sql = queries.unclaimed_of_others if hook.all_others else queries.unclaimed_of_scrapers

        def again() -> int | None:
            number: int | None = self._connection.value(
                queries.due_delivery, {"hook": hook.key}, hot=True
            )
            if number is not None:
                self._connection.execute(queries.claim_delivery, {**this, "notice_id": number})
            return number

        number = self._connection.transact(again)
        while number is None:
            found = self._connection.value(sql, fresh, hot=True)
            if found is None:
                return None
            # None if another process was faster: then there may be another notice.
            number = self._connection.value(queries.claim_notice, {**this, "notice_id": found})
        row = self._connection.row(queries.get_delivery, {"notice_id": number, "hook": hook.key})
        assert row is not None
        return delivery_of(row, row[3], row[11])

    def delivered(self, delivery: Delivery) -> bool:
        return self._end(delivery, DeliveryState.DELIVERED, "", 0.0)

    def undelivered(self, delivery: Delivery, error: str, *, retry_seconds: float | None) -> bool:
        if retry_seconds is None:
            return self._end(delivery, DeliveryState.FAILED, error, 0.0)
        check_seconds("retry_seconds", retry_seconds)
        return self._end(delivery, DeliveryState.WAITING, error, retry_seconds)

    def find(self, *, limit: int = 100) -> list[Notice]:
        rows = self._connection.rows(queries.list_notices, {"limit": check_limit(limit)})
        return [notice_of(row, row[3]) for row in rows]

    def deliveries(self, notice_ids: Collection[int]) -> list[Delivery]:
        this = {"notice_ids": Bigints(notice_ids)}
        rows = self._connection.rows(queries.list_deliveries, this)
        return [delivery_of(row, row[3], row[11]) for row in rows]

    def retry(self, notice_ids: Collection[int] | None = None) -> int:
        if notice_ids is None:
            return len(self._connection.rows(queries.retry_all_deliveries))
        this = {"notice_ids": Bigints(notice_ids)}
        return len(self._connection.rows(queries.retry_deliveries, this))

    def _end(
        self, delivery: Delivery, state: DeliveryState, error: str, due_in_seconds: float
    ) -> bool:
        this = {
            "notice_id": delivery.notice.id,
            "hook": delivery.hook,
            "attempts": delivery.attempts,
            "state": str(state),
            "error": clipped(error),
            "due_in_seconds": due_in_seconds,
        }
        return self._connection.row(queries.end_delivery, this) is not None


def add_notice(connection: Connection, new: NewNotice) -> bool:
    return connection.row(queries.add_notice, values_of(new)) is not None


def tell_breaker(connection: Connection, scraper: str, new: NewNotice) -> None:
    """Inside a transaction: a breaker of the scraper has opened."""
    if connection.value(queries.recent_breakers, {"scraper": scraper}) < MAX_BREAKERS_PER_HOUR:
        add_notice(connection, new)
