"""`swather.Client`: what it asks of a real server, and how it tells what went wrong."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather
from swather.errors import (
    InputError,
    NotFound,
    RefusedInput,
    ServerRefused,
    ServerUnreachable,
    UnknownToServer,
)
from swather.settings import Settings
from swather.store import Store
from swather.web.dashboard import Dashboard
from tests.store.given import a_worker, claim, completed, failed, finish

ADMIN = "a-token-for-all-of-it"
READER = "a-token-for-reading"
SCRAPER = """
from swather import scraper

@scraper
async def books(ctx, target):
    yield {"title": target}
"""


@pytest.fixture
def server(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Its address; it knows one scraper."""
    monkeypatch.chdir(tmp_path)
    Path("books.py").write_text(SCRAPER)
    Path("swather.toml").write_text('[scrapers.books]\npath = "books.py"\n')
    settings = Settings(db=store.url, api_port=0, api_token=ADMIN, api_read_token=READER)
    with Dashboard(settings) as dashboard, dashboard.serving():
        yield dashboard.address


@pytest.fixture
def client(server: str) -> swather.Client:
    return swather.Client(server, token=ADMIN)


def test_a_run_from_its_start_to_its_items(client: swather.Client, store: Store) -> None:
    run = client.runs.start("books", ["a", "b"])["run"]
    assert client.runs.add("books", ["b", "c"])["enqueued"] == 1
    for lease in claim(store, a_worker(store), 2):
        finish(store, completed(lease, {"title": lease.target}))
    assert client.runs.stats(run) == {
        "run": run,
        "pending": 1,
        "claimed": 0,
        "completed": 2,
        "failed": 0,
        "remaining": 1,
    }
    assert client.runs.get(run)["counts"]["completed"] == 2
    assert [row["run"] for row in client.runs.list(state="open")] == [run]
    assert client.runs.pause(run) == {"run": run, "paused": True}
    assert client.runs.why(run)["reasons"][0]["values"]["run"] == run
    assert client.status()["runs"][0]["state"] == "paused"
    client.runs.unpause(run)
    assert client.runs.cancel(run, dry_run=True)["cancelled"] == 1
    assert client.runs.cancel(run)["cancelled"] == 1
    assert client.status()["runs"][0]["state"] == "cancelled"


def test_targets_and_items_are_streamed(client: swather.Client, store: Store) -> None:
    run = client.runs.start("books", [0], keep_open=True)["run"]
    said = client.runs.upload(run, ({"n": n, "text": "x" * 100} for n in range(3_000)))
    assert (said["enqueued"], said["skipped"]) == (3_000, 0)
    worker = a_worker(store)
    leases = claim(store, worker, 2_000)
    finish(store, *(completed(lease, {"found": lease.target}) for lease in leases))
    assert list(client.runs.items(run)) == [{"found": lease.target} for lease in leases]
    lines = b"".join(client.runs.export(run, "csv")).splitlines()
    assert (lines[0], len(lines)) == (b"found", 2_001)


def test_a_bad_target_in_the_middle_of_an_upload_is_told(client: swather.Client) -> None:
    run = client.runs.start("books", [0], keep_open=True)["run"]
    targets = ["fine", float("nan"), *("x" * 1_000 for _ in range(20_000))]
    with pytest.raises(RefusedInput, match="line 2"):
        client.runs.upload(run, targets)


def test_tasks_are_found_retried_and_cancelled_by_filter(
    client: swather.Client, store: Store
) -> None:
    run = client.runs.start("books", list(range(1_200)))["run"]
    leases = claim(store, a_worker(store), 3)
    finish(store, *map(failed, leases))
    assert [task["task"] for task in client.tasks.each(run, state=["failed"])] == [
        lease.task_id for lease in leases
    ]
    assert sum(1 for _ in client.tasks.each(run)) == 1_200
    assert client.tasks.retry(run, dry_run=True)["retried"] == 3
    one = leases[0].task_id
    assert client.tasks.retry(run, task=[one])["retried"] == 1
    assert client.tasks.get(one)["state"] == "ready"
    assert client.tasks.why(one)["task"] == one
    client.wait(client.tasks.cancel(run, state=["ready"]))
    assert client.runs.stats(run)["remaining"] == 0


def test_what_a_server_refuses_is_an_error_that_says_what_to_do(client: swather.Client) -> None:
    with pytest.raises(UnknownToServer) as unknown:
        client.runs.get("nowhere")
    assert isinstance(unknown.value, NotFound)
    assert (unknown.value.status, "nowhere" in unknown.value.detail) == (404, True)
    with pytest.raises(RefusedInput) as refused:
        client.workers.start(0)
    assert (isinstance(refused.value, InputError), refused.value.status) == (True, 422)
    with pytest.raises(ServerRefused, match="no supervisor is up") as conflict:
        client.workers.start(2)
    assert conflict.value.command is not None
    assert conflict.value.command.startswith("swather fleet up --workers 2")
    assert str(conflict.value).endswith(conflict.value.command)


def test_a_reader_may_only_read(server: str) -> None:
    reader = swather.Client(server, token=READER)
    assert reader.runs.list() == []
    with pytest.raises(ServerRefused, match="may only read"):
        reader.workers.stop()
    with pytest.raises(ServerRefused, match="token") as nobody:
        swather.Client(server, token=ADMIN[::-1]).runs.list()
    assert nobody.value.status == 401


def test_names_are_never_part_of_an_address(client: swather.Client) -> None:
    for name in ("../../login", "a/b", "a?b=c", "ü#x", "%2e%2e"):
        with pytest.raises(UnknownToServer):
            client.runs.stats(name)


def test_no_answer_is_told_from_a_refusal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(ServerUnreachable, match=f"127.0.0.1:{port} does not answer"):
        swather.Client(f"http://127.0.0.1:{port}", token=ADMIN).runs.list()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n<ht>\n", "not JSON"),
        (b"HTTP/1.1 302 Found\r\nlocation: http://x/\r\ncontent-length: 0\r\n\r\n", "HTTP 302"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[1,2", "does not answer"),
        (b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", "HTTP 502"),
        (b"nonsense\r\n\r\n", "does not answer"),
    ],
)
def test_what_is_no_server_of_ours_is_told(answer: bytes, said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            there, _ = listening.accept()
            with there:
                there.recv(10_000)
                there.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        port = listening.getsockname()[1]
        client = swather.Client(f"http://127.0.0.1:{port}", token=ADMIN)
        with pytest.raises((ServerUnreachable, ServerRefused), match=said):
            client.runs.list()
        serving.join()


@pytest.mark.parametrize(
    "url", ["queue.db", "ftp://x", "http://", "http://u:p@x", "http://x:99999"]
)
def test_an_address_that_cannot_be_one_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="expected the address of a server"):
        swather.Client(url, token=ADMIN)


def test_a_token_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SWATHER_API_TOKEN", raising=False)
    with pytest.raises(InputError, match="set SWATHER_API_TOKEN"):
        swather.Client("http://127.0.0.1:1")
    with pytest.raises(InputError, match="printable"):
        swather.Client("http://127.0.0.1:1", token=f"{ADMIN}\r\n")


def test_it_needs_nothing_of_the_extra() -> None:
    code = "import swather, sys; swather.Client; sys.exit('fastapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
