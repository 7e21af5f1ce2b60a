"""A server keeps the history of runs, whether workers are there or not."""

import pytest

from swather.api import sampling
from swather.api.sampling import Sampling
from swather.errors import StoreError
from swather.store import Store
from tests.store.given import a_run, until


def test_a_server_takes_samples_and_thins_old_ones_whatever_fails_between(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sampling, "_AWAY_SECONDS", 0.01)
    a_run(store, 3)
    thinned = []
    thin = type(store.history).thin

    def failing_once(history) -> bool:
        thinned.append(1)
        if len(thinned) == 1:
            raise StoreError("the connection was lost")
        return thin(history)

    monkeypatch.setattr(type(store.history), "thin", failing_once)
    keeping = Sampling(store, every_seconds=0.01)
    keeping.start()
    try:
        until(lambda: len(thinned) >= 2 and store.history.overall(seconds=60)[-1].ready == 3)
    finally:
        keeping.close()
    assert len(thinned) >= 2
    assert store.history.overall(seconds=60)[-1].ready == 3
