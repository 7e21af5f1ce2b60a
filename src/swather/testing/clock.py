"""A clock that tests move by hand."""

from swather.store.clock import Clock


class FakeClock(Clock):
    """Give it to `swather.open(url, clock=…)`: what is due in an hour is due after
    `advance(3600)`.
    """
