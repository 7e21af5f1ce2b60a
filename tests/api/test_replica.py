"""A replica behind the API: what reads is answered, what writes is refused in clear words."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

import swather.store
from swather.access_token import Tokens
from swather.model.run import NewRun
from tests.api.conftest import ADMIN, BASE, an_app
from tests.conftest import ReusedPostgres


@pytest.fixture
def replica(reused: ReusedPostgres, tokens: Tokens) -> Iterator[TestClient]:
    """A session that may not write."""
    store = swather.store.open(reused.url)
    store.runs.create(NewRun(scraper="books"))
    store.close()
    mark = "&" if "?" in reused.url else "?"
    store = swather.store.open(f"{reused.url}{mark}options=-c%20default_transaction_read_only%3Don")
    app, served = an_app(store, tokens)
    with TestClient(app, base_url=BASE, headers={"authorization": f"Bearer {ADMIN}"}) as made:
        yield made
    served.acting.close()
    served.stores.close()
    store.close()
    reused.empty()


def test_a_replica_shows_what_there_is_and_takes_no_orders(replica: TestClient):
    (run,) = replica.get("/api/v1/runs").json()
    of_run = f"/runs/{run['run']}"
    pages = ("/", of_run, f"{of_run}/tasks", f"{of_run}/results", "/workers", "/lanes", "/errors")
    for path in (*pages, "/metrics", "/jobs/workers/status", f"/api/v1{of_run}/why"):
        assert replica.get(path).status_code == 200, path
    refused = replica.post(f"/api/v1/runs/{run['run']}/pause")
    assert refused.status_code == 503
    assert "accepts no writes" in refused.json()["detail"]
    assert refused.json()["detail"].endswith("use the primary server's address")
    page = replica.post(f"/runs/{run['run']}/pause", headers={"accept": "text/html"})
    assert (page.status_code, "accepts no writes" in page.text) == (503, True)
