"""One claim statement, under the locks it needs. No twin: SQLite claims in steps (heads.py)."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

from swather.store.postgres.arrays import Bigints, Booleans, Integers, Smallints
from swather.store.postgres.connection import Connection
from swather.store.postgres.gates import Passing, Probes, probe_gates, save_paces, scraper_gate
from swather.store.postgres.offers import CLAIM, CLAIM_COUNTED, CLAIM_UNPACED, Offer, Pick
from swather.store.postgres.outlook import HeadLimit
from swather.store.postgres.statements import queries

Rows = list[tuple[Any, ...]]
NO_INTERVALS: Final[Mapping[int, float]] = {}


class Attempt(NamedTuple):
    """What one statement asked for, and how to get its result.

    `closed`: heads that turned out to have nothing now. `opens_seconds`: how long the scraper lets
    nothing pass, if so. `every_seconds`: the intervals of heads that have one.
    """

    pick: Pick
    offers: list[Offer]
    wanted: int
    began: float
    answer: Callable[[], Rows]
    closed: Collection[int] = ()
    opens_seconds: float | None = None
    is_counted: bool = False
    every_seconds: Mapping[int, float] = NO_INTERVALS

    def answered(self) -> tuple["Attempt", Rows]:
        """The rows of the result, and the attempt updated by them."""
        rows = self.answer()
        if not self.is_counted:
            return self, rows
        last = next(place for place, row in enumerate(rows) if row[0] is None)
        numbers = [int(number) for number in (rows.pop(last)[-1] or "").split()]
        allowed = dict(zip(numbers[::2], numbers[1::2], strict=True))
        offers = [
            offer._replace(quota=min(offer.quota, allowed[offer.head.id]))
            for offer in self.offers
            if offer.head.id in allowed
        ]
        closed = {offer.head.id for offer in self.offers} - allowed.keys()
        return self._replace(offers=offers, closed=closed), rows


def ask(
    connection: Connection,
    pick: Pick,
    offers: list[Offer],
    wanted: int,
    *,
    worker_id: int,
    scraper_lane_id: int | None,
    unpaced: bool = False,
) -> Attempt:
    """Take up to `wanted` of what is offered. `scraper_lane_id`: the scraper of all of it, if that
    is limited.
    """
    if not offers:
        # A draw may hit only priorities that no head has any more.
        return Attempt(pick, offers, wanted, time.monotonic(), list)
    if unpaced:
        began = time.monotonic()
        values = _values(offers, wanted, worker_id)
        return Attempt(
            pick, offers, wanted, began, connection.send(CLAIM_UNPACED[pick], values, hot=True)
        )
    limits = {offer.head.limit for offer in offers}
    if scraper_lane_id is not None or HeadLimit.PACED in limits:
        return connection.transact(
            lambda: _ask_limited(connection, pick, offers, wanted, worker_id, scraper_lane_id)
        )
    began = time.monotonic()
    if HeadLimit.COUNTED in limits:
        offers = _one_of_each_lane(offers)
        answer = _send_counted(connection, pick, offers, wanted, worker_id)
        return Attempt(pick, offers, wanted, began, answer, is_counted=True)
    answer = _send(connection, pick, offers, wanted, worker_id)
    return Attempt(pick, offers, wanted, began, answer)


def _one_of_each_lane(offers: list[Offer]) -> list[Offer]:
    """Without further heads of a limited lane: its tasks in flight are counted once."""
    first: dict[int, int] = {}
    return [
        offer
        for offer in offers
        if not offer.head.is_limited
        or first.setdefault(offer.head.lane_id, offer.head.id) == offer.head.id
    ]


def _ask_limited(
    connection: Connection,
    pick: Pick,
    offers: list[Offer],
    wanted: int,
    worker_id: int,
    scraper_lane_id: int | None,
) -> Attempt:
    """Under the locks of scraper, lanes and heads, so that no one else uses the same allowance.

    It waits only for the scraper's lock, and for nothing after it: there can be no deadlock.
    """
    began = time.monotonic()
    scraper = None
    if scraper_lane_id is not None:
        row = connection.rows(
            queries.lock_scrapers, {"scrapers": Bigints([scraper_lane_id])}, hot=True
        )[0]
        scraper = scraper_gate(row, wanted)
        if not scraper.left:
            save_paces(connection, [scraper])
            opens = scraper.opens_at() - scraper.now
            return Attempt(pick, offers[:1], wanted, began, list, opens_seconds=opens)
    limited = {offer.head.id: None for offer in offers if offer.head.is_limited}
    rows = (
        connection.rows(queries.lock_heads, {"heads": Bigints(limited)}, hot=True)
        if limited
        else []
    )
    passing = Passing(rows, scraper, _probes(connection, rows), wanted)
    admitted = []
    for offer in offers:
        quota = passing.admit(offer.head.id, offer.head.is_limited, offer.quota)
        if quota:
            admitted.append(offer._replace(quota=quota))
    locked = {offer.head.id for offer in admitted if offer.head.is_limited}
    closed = limited.keys() - locked
    if not admitted:
        passing.save(connection, Counter())
        return Attempt(pick, [], wanted, began, list, closed)
    answer = _send(
        connection, pick, admitted, wanted, worker_id, locked, scraper_locked=scraper is not None
    )
    if passing.has_rates:
        found = answer()
        answer = found.copy
        passing.save(connection, Counter(row[8] for row in found))
    else:
        passing.save(connection, Counter())
    every_seconds = passing.every_seconds({offer.head.id for offer in admitted})
    return Attempt(pick, admitted, wanted, began, answer, closed, every_seconds=every_seconds)


def _probes(connection: Connection, rows: Rows) -> Probes:
    """The open breakers of locked heads, as a statement after the locks finds them."""
    tripped = sorted({(row[1], row[15]) for row in rows if row[14]})
    if not tripped:
        return {}
    found = connection.rows(
        queries.probes,
        {
            "lanes": Bigints(lane_id for lane_id, _ in tripped),
            "scrapers": Bigints(scraper_id for _, scraper_id in tripped),
        },
        hot=True,
    )
    return probe_gates(found)


def _send(
    connection: Connection,
    pick: Pick,
    offers: list[Offer],
    wanted: int,
    worker_id: int,
    locked: Collection[int] = (),
    *,
    scraper_locked: bool = False,
) -> Callable[[], Rows]:
    values = {
        **_values(offers, wanted, worker_id),
        "lanes_locked": Booleans(offer.head.id in locked for offer in offers),
        "scrapers_locked": Booleans([scraper_locked] * len(offers)),
    }
    return connection.send(CLAIM[pick], values, hot=True)


def _send_counted(
    connection: Connection, pick: Pick, offers: list[Offer], wanted: int, worker_id: int
) -> Callable[[], Rows]:
    values = {
        **_values(offers, wanted, worker_id),
        "counted": Booleans(offer.head.is_limited for offer in offers),
    }
    return connection.send(CLAIM_COUNTED[pick], values, hot=True)


def _values(offers: list[Offer], wanted: int, worker_id: int) -> dict[str, Any]:
    return {
        "heads": Bigints(offer.head.id for offer in offers),
        "priorities": Smallints(offer.priority for offer in offers),
        "above": Bigints(offer.above for offer in offers),
        "below": Bigints(offer.below for offer in offers),
        "quotas": Integers(offer.quota for offer in offers),
        "worker_id": worker_id,
        "count": wanted,
    }
