"""An estimate is the longest of what the limits ask for, and says which of them that is."""

from typing import Any

import pytest

from swather.model.estimate import Decides, Measured, Outlook, PacedWork, estimate
from swather.model.lane import PacedKind
from swather.model.pacing import Limits

SITE = "shop.example"
PACED = Limits(every_seconds=0.2)


def outlook(targets: int = 1_000, **fields: Any) -> Outlook:
    return Outlook(**{"targets": targets, "workers": 4, "slots": 10, **fields})


def lane(targets: float = 1_000, limits: Limits = PACED, **fields: Any) -> PacedWork:
    return PacedWork(**{"name": SITE, "targets": targets, "limits": limits, **fields})


def measured(seconds: float, **fields: Any) -> Measured:
    return Measured(attempts=100, seconds=seconds, **fields)


@pytest.mark.parametrize(
    ("given", "seconds", "decides", "is_least"),
    [
        (outlook(0), 0.0, Decides.NOTHING, False),
        # Nothing is known, and nothing limits it.
        (outlook(), None, Decides.UNKNOWN, True),
        (outlook(measured=measured(2.0)), 50.0, Decides.SLOTS, False),
        (outlook(3, measured=measured(2.0)), 2.0, Decides.SLOTS, False),
        (outlook(delay_seconds=14.0), 350.0, Decides.SLOTS, True),
        (outlook(delay_seconds=14.0, measured=measured(2.0)), 400.0, Decides.SLOTS, False),
        # A rate holds whatever the number of workers.
        (outlook(paced=(lane(),)), 199.8, Decides.RATE, True),
        (outlook(paced=(lane(),), workers=400), 199.8, Decides.RATE, True),
        (outlook(paced=(lane(),), measured=measured(2.0)), 201.8, Decides.RATE, False),
        # Each request takes its turn on the lane, and so does each retry.
        (outlook(paced=(lane(),), measured=measured(0, requests=3.0)), 599.8, Decides.RATE, False),
        (
            outlook(paced=(lane(),), measured=measured(0.0, attempts_per_target=1.5)),
            299.8,
            Decides.RATE,
            False,
        ),
        # A scraper's own rate counts targets, not requests.
        (
            outlook(
                paced=(lane(kind=PacedKind.SCRAPER),), measured=measured(0.0, requests=3.0)
            ),
            199.8,
            Decides.RATE,
            False,
        ),
        (outlook(paced=(lane(limits=Limits(0.2, burst=101)),)), 179.8, Decides.RATE, True),
        (outlook(40, paced=(lane(40, cooling_seconds=60.0),)), 67.8, Decides.COOLING, True),
        (outlook(paced=(lane(cooling_seconds=60.0),)), 259.8, Decides.RATE, True),
        (
            outlook(paced=(lane(limits=Limits(in_flight=8)),), measured=measured(2.0)),
            250.0,
            Decides.IN_FLIGHT,
            False,
        ),
        # Four workers of ten slots never have more than forty in flight.
        (
            outlook(paced=(lane(limits=Limits(in_flight=500)),), measured=measured(2.0)),
            50.0,
            Decides.SLOTS,
            False,
        ),
        # The slowest of several lanes.
        (
            outlook(paced=(lane(900), lane(100, Limits(10.0), name="slow.example"))),
            990.0,
            Decides.RATE,
            True,
        ),
        # Nobody helps the worker that owns most.
        (outlook(own=(700, 100, 100, 100), measured=measured(2.0)), 140.0, Decides.WORKER, False),
        (outlook(3, retry_seconds=300.0, measured=measured(2.0)), 300.0, Decides.RETRY, False),
        (outlook(paced=(lane(held=Decides.PAUSED),)), None, Decides.PAUSED, True),
        (outlook(paced=(lane(0, held=Decides.PAUSED),)), None, Decides.UNKNOWN, True),
        (outlook(paced=(lane(held=Decides.BREAKER),), measured=measured(2.0)), None,
         Decides.BREAKER, False),
    ],
)  # fmt: skip
def test_the_longest_limit_decides(
    given: Outlook, seconds: float | None, decides: Decides, is_least: bool
):
    found = estimate(given)
    assert found.decides is decides
    assert found.seconds == (None if seconds is None else pytest.approx(seconds))
    # What is unknown is not a least.
    assert found.is_least == (is_least and seconds is not None)


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        (outlook(paced=(lane(900), lane(100, Limits(10.0), name="slow.example"))),
         "slow.example", 0.1),
        (outlook(own=(1, 998, 1), measured=measured(1.0)), "1", 998),
        (outlook(measured=measured(1.0)), "", 40),
    ],
)  # fmt: skip
def test_the_limit_is_named(given: Outlook, name: str, value: float):
    found = estimate(given)
    assert (found.name, found.value) == (name, value)
