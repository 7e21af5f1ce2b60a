"""One claim statement: sent with its offers, under the locks that limits need."""

import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from swather.store.postgres.arrays import Bigints, Booleans, Integers, Smallints
from swather.store.postgres.connection import Connection
from swather.store.postgres.gates import Passing, scraper_gate
from swather.store.postgres.offers import Offer, Pick
from swather.store.postgres.settings import queries

Rows = list[tuple[Any, ...]]


class Attempt(NamedTuple):
    """What one statement asked for, and where its answer will be.

    `closed`: heads that turned out to give nothing now. `opens_seconds`: set when the scraper lets
    nothing pass for so long.
    """

    pick: Pick
    offers: list[Offer]
    wanted: int
    began: float
    answer: Callable[[], Rows]
    closed: Collection[int] = ()
    opens_seconds: float | None = None


def ask(
    connection: Connection,
    pick: Pick,
    offers: list[Offer],
    wanted: int,
    *,
    worker_id: int,
    scraper_lane_id: int | None,
) -> Attempt:
    """Take up to `wanted` of what is offered. `scraper_lane_id`: the scraper of all of it, if that
    is limited.
    """
    if scraper_lane_id is None and not any(offer.head.limited for offer in offers):
        began = time.monotonic()
        answer = _send(connection, pick, offers, wanted, worker_id)
        return Attempt(pick, offers, wanted, began, answer)
    return connection.transact(
        lambda: _ask_limited(connection, pick, offers, wanted, worker_id, scraper_lane_id)
    )


def _ask_limited(
    connection: Connection,
    pick: Pick,
    offers: list[Offer],
    wanted: int,
    worker_id: int,
    scraper_lane_id: int | None,
) -> Attempt:
    """Under the locks of scraper, lanes and heads, so that nobody else counts on the same places.

    Only the scraper's is waited for, and nothing is waited for after it: no deadlock can arise.
    """
    began = time.monotonic()
    scraper = None
    if scraper_lane_id is not None:
        row = connection.rows(queries.lock_lanes, {"lanes": Bigints([scraper_lane_id])}, hot=True)[
            0
        ]
        scraper = scraper_gate(row, wanted)
        if not scraper.left:
            opens = scraper.opens_at() - scraper.now
            return Attempt(pick, offers[:1], wanted, began, list, opens_seconds=opens)
    limited = {offer.head.id: None for offer in offers if offer.head.limited}
    rows = (
        connection.rows(queries.lock_heads, {"heads": Bigints(limited)}, hot=True)
        if limited
        else []
    )
    passing = Passing(rows, scraper, wanted)
    admitted = []
    for offer in offers:
        quota = passing.admit(offer.head.id, offer.head.limited, offer.quota)
        if quota:
            admitted.append(offer._replace(quota=quota))
    held = {offer.head.id for offer in admitted if offer.head.limited}
    closed = limited.keys() - held
    if not admitted:
        passing.save(connection, Counter())
        return Attempt(pick, [], wanted, began, list, closed)
    answer = _send(
        connection, pick, admitted, wanted, worker_id, held, scraper_held=scraper is not None
    )
    if passing.has_rates:
        found = answer()
        answer = found.copy
        passing.save(connection, Counter(row[8] for row in found))
    else:
        passing.save(connection, Counter())
    return Attempt(pick, admitted, wanted, began, answer, closed)


def _send(
    connection: Connection,
    pick: Pick,
    offers: list[Offer],
    wanted: int,
    worker_id: int,
    held: Collection[int] = (),
    *,
    scraper_held: bool = False,
) -> Callable[[], Rows]:
    return connection.send(
        pick.value,
        {
            "heads": Bigints(offer.head.id for offer in offers),
            "priorities": Smallints(offer.priority for offer in offers),
            "above": Bigints(offer.above for offer in offers),
            "below": Bigints(offer.below for offer in offers),
            "quotas": Integers(offer.quota for offer in offers),
            "lanes_held": Booleans(offer.head.id in held for offer in offers),
            "scrapers_held": Booleans([scraper_held] * len(offers)),
            "worker_id": worker_id,
            "count": wanted,
        },
        hot=True,
    )
