"""What many ask for at once is read once."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from http import HTTPStatus

import pytest
from starlette.testclient import TestClient

from swather.access_token import Tokens
from swather.api.recent import Recent
from swather.errors import DatabaseBusy
from swather.store import Store
from tests.api.conftest import ADMIN, BASE, an_app
from tests.store.given import a_run

PATIENCE_SECONDS = 20.0
LONG_SECONDS = 600.0


class Gate:
    """A read that waits until it is let go."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.go_on = threading.Event()
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        self.began.set()
        assert self.go_on.wait(PATIENCE_SECONDS)
        return self.times


@pytest.fixture
def asking():
    with ThreadPoolExecutor(8) as threads:
        yield threads


def begun(asking: ThreadPoolExecutor, recent: Recent, gate: Gate) -> Future[int]:
    first = asking.submit(recent.read, "page", gate)
    assert gate.began.wait(PATIENCE_SECONDS)
    return first


def test_those_who_ask_at_once_and_soon_after_share_one_read(asking: ThreadPoolExecutor):
    recent, gate = Recent(for_seconds=LONG_SECONDS), Gate()
    first = begun(asking, recent, gate)
    more = [asking.submit(recent.read, "page", gate) for _ in range(5)]
    gate.go_on.set()
    assert [each.result(PATIENCE_SECONDS) for each in (first, *more)] == [1] * 6
    assert recent.read("page", gate) == 1
    assert recent.read("another page", lambda: 7) == 7


def test_it_is_read_anew_when_it_is_old():
    recent, reads = Recent(for_seconds=0.0), iter([1, 2])
    assert [recent.read("page", lambda: next(reads)) for _ in range(2)] == [1, 2]


def test_an_error_is_not_kept():
    recent = Recent(for_seconds=LONG_SECONDS)

    def fail() -> int:
        raise DatabaseBusy("locked")

    with pytest.raises(DatabaseBusy):
        recent.read("page", fail)
    assert recent.read("page", lambda: 2) == 2


def test_what_was_read_before_a_change_is_not_given_after_it(asking: ThreadPoolExecutor):
    recent, gate = Recent(for_seconds=LONG_SECONDS), Gate()
    before = begun(asking, recent, gate)
    recent.forget()
    assert recent.read("page", lambda: 100) == 100
    gate.go_on.set()
    assert before.result(PATIENCE_SECONDS) == 1
    assert recent.read("page", gate) == 100


def test_a_page_is_read_again_after_a_change_made_here(store: Store, tokens: Tokens):
    app, served = an_app(store, tokens, recent_seconds=LONG_SECONDS)
    run = a_run(store, 3)
    with TestClient(app, base_url=BASE, headers={"authorization": f"Bearer {ADMIN}"}) as client:

        def shown() -> list[bool]:
            return ["paused" in client.get(path).text for path in ("/", f"/runs/{run}")]

        assert shown() == [False, False]
        store.runs.pause(run)
        assert shown() == [False, False]
        assert client.post(f"/api/v1/runs/{run}/pause").status_code == HTTPStatus.OK
        assert shown() == [True, True]
    served.acting.close()
    served.stores.close()
