"""A real server on a real socket: many at once, too much, and clients that leave."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import pytest
from pydantic import SecretStr
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from swather.access_token import Role, Tokens
from swather.api import download, turns
from swather.api.server import MAX_FRAME_BYTES
from swather.api.sessions import COOKIE, new_session
from swather.api.stores import MOST_EXPORTS, MOST_UPLOADS
from swather.settings import Settings
from swather.store import Store
from swather.web.dashboard import Dashboard
from tests.api.conftest import ADMIN, READER
from tests.api.test_results import some_items
from tests.store.given import a_run, a_worker, claim, completed, finish, until

BEARER = {"authorization": f"Bearer {ADMIN}"}
TOO_LARGE_A_FRAME = 1009


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    settings = Settings(
        db=store.url, api_port=0, api_token=SecretStr(ADMIN), api_read_token=SecretStr(READER)
    )
    with Dashboard(settings) as dashboard, dashboard.serving():
        yield dashboard.address


def test_more_requests_than_threads_are_all_answered(address: str, store: Store) -> None:
    """Those that wait for a store must not take the threads of those that have one."""
    run = a_run(store, 3)

    def ask(_: int) -> int:
        answer = httpx2.get(f"{address}/api/v1/runs/{run}", headers=BEARER, timeout=60)
        return int(answer.status_code)

    with ThreadPoolExecutor(80) as threads:
        assert set(threads.map(ask, range(160))) == {200}


def test_a_client_that_leaves_in_the_middle_of_an_upload_is_told_of(
    address: str, store: Store, books: str
) -> None:
    body = {"scraper": books, "targets": [], "keep_open": True}
    run = httpx2.post(f"{address}/api/v1/runs", json=body, headers=BEARER).json()["run"]
    with opened(address) as client:
        client.sendall(
            f"POST /api/v1/uploads/{run} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"authorization: Bearer {ADMIN}\r\ncontent-type: text/plain\r\n"
            "transfer-encoding: chunked\r\n\r\n".encode()
        )
        for first in range(0, 30_000, 1_000):
            lines = "".join(f"https://example.com/{first + n}\n" for n in range(1_000))
            client.sendall(f"{len(lines):x}\r\n{lines}\r\n".encode())
        until(lambda: store.runs.counts(run).total > 0)
    until(lambda: store.actions.find()[0].state != "running")
    action = store.actions.find()[0]
    assert (action.verb, action.state) == ("run upload", "failed")
    assert "the client left" in action.error
    status = httpx2.get(f"{address}/api/v1/runs/{run}", headers=BEARER).json()
    assert status["load_incomplete"] is True
    assert 0 < status["counts"]["ready"] <= 30_000


def opened(address: str) -> socket.socket:
    parts = urlsplit(address)
    assert parts.port is not None
    return socket.create_connection(("127.0.0.1", parts.port), timeout=30)


def test_a_body_that_is_longer_than_it_says_ends_the_connection(address: str) -> None:
    with opened(address) as client:
        client.sendall(
            f"POST /jobs/workers/stop HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"authorization: Bearer {ADMIN}\r\ncontent-length: 2\r\n\r\n{{}}".encode()
            + b"x" * 100_000
        )
        said = all_of(client)
    assert b"HTTP/1.1 409" in said
    assert said.count(b"HTTP/1.1") == 2
    assert b"HTTP/1.1 400" in said


def test_an_upload_of_which_nothing_comes_gives_up_its_turn(
    address: str, store: Store, books: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "IDLE_SECONDS", 0.5)
    body = {"scraper": books, "targets": [], "keep_open": True}
    run = httpx2.post(f"{address}/api/v1/runs", json=body, headers=BEARER).json()["run"]
    export = f"{address}/api/v1/runs/{run}/export"
    with ExitStack() as stack:
        clients = [stack.enter_context(opened(address)) for _ in range(MOST_UPLOADS)]
        for number, client in enumerate(clients):
            line = f"https://example.com/{number}\n"
            client.sendall(
                f"POST /api/v1/uploads/{run} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                f"authorization: Bearer {ADMIN}\r\ncontent-type: text/plain\r\n"
                f"content-length: 9999\r\n\r\n{line}".encode()
            )
        assert httpx2.get(export, headers=BEARER).status_code == 200
        for client in clients:
            said = all_of(client)
            assert b"HTTP/1.1 408" in said
            assert b"nothing has come for 0.5 seconds" in said
    sent = httpx2.post(
        f"{address}/api/v1/uploads/{run}",
        content=b"https://example.com/x\n",
        headers={**BEARER, "content-type": "text/plain"},
    )
    assert sent.status_code == 200, sent.text
    failed = [action for action in store.actions.find() if action.state == "failed"]
    assert len(failed) == MOST_UPLOADS
    assert {action.verb for action in failed} == {"run upload"}
    assert "nothing has come" in failed[0].error


def all_of(client: socket.socket) -> bytes:
    """Until the server closes the connection."""
    said = b""
    while piece := client.recv(65_536):
        said += piece
    return said


def test_an_export_that_nobody_reads_gives_up_its_turn(
    address: str, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(download, "IDLE_SECONDS", 3.0)
    run, worker = a_run(store, 40), a_worker(store)
    finish(store, *(completed(lease, "x" * 1_000_000) for lease in claim(store, worker, 40)))
    export = f"{address}/api/v1/runs/{run}/export"
    with ExitStack() as stack:
        clients = [stack.enter_context(opened(address)) for _ in range(MOST_EXPORTS)]
        for client in clients:
            client.sendall(
                f"GET /api/v1/runs/{run}/export HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                f"authorization: Bearer {READER}\r\n\r\n".encode()
            )
        until(lambda: httpx2.get(export, headers=BEARER, timeout=60).status_code == 429)
        until(lambda: "took nothing for 3 seconds" in caplog.text)
        until(lambda: httpx2.get(export, headers=BEARER, timeout=60).status_code == 200)
        # One that was broken off has no end.
        assert not all(all_of(client).endswith(b"\r\n0\r\n\r\n") for client in clients)


def test_frames_are_bounded_and_strangers_refused(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    there = f"{address.replace('http', 'ws')}/jobs/status"
    for headers in ({}, {**BEARER, "origin": "https://evil.example"}):
        with pytest.raises(InvalidStatus) as refused, connect(there, additional_headers=headers):
            pass
        assert refused.value.response.status_code in {401, 403}
        assert b"about:blank" in (refused.value.response.body or b"")
    assert caplog.text == ""
    session = new_session(Tokens(admin=ADMIN, reader=READER), Role.READER)
    person = {"cookie": f"{COOKIE}={session}", "origin": address}
    with connect(there, additional_headers=person) as client:
        assert "worker_status" in json.loads(client.recv())
        client.send("x" * (MAX_FRAME_BYTES + 1))
        with pytest.raises(ConnectionClosedError) as closed:
            list(client)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == TOO_LARGE_A_FRAME


def test_an_export_is_sent_while_it_is_read(address: str, store: Store) -> None:
    run = some_items(store, 300)
    with httpx2.stream("GET", f"{address}/api/v1/runs/{run}/export", headers=BEARER) as answer:
        assert answer.headers["transfer-encoding"] == "chunked"
        lines = list(answer.iter_lines())
    assert len(lines) == 300
