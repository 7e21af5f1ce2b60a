"""Who is let in: every route of the server, with and without what proves who somebody is."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

import swather.store
from swather.access_token import Role, Tokens, token_file, tokens_for
from swather.api import guard
from swather.api.routes import ROUTERS
from swather.api.sessions import COOKIE, new_session
from swather.model.proxy_list import parse_proxies
from swather.model.retry import ErrorClass
from swather.model.schedule import NewSchedule
from swather.model.task import Target
from swather.settings import Settings
from swather.store import Store
from swather.web.pages import PAGES
from tests.api.conftest import ADMIN, BASE, READER, an_app
from tests.store.given import a_fault, a_run, a_worker, claim, completed, failed, finish

DOCUMENT: Final = "/api/v1/openapi.json"
SAFE: Final = {"GET", "HEAD"}
CANARY: Final = "hunter2canary"
HTML: Final = {"accept": "text/html,application/xhtml+xml"}
# What a name in an address is replaced by; nothing needs to have it.
SAID: Final = "1"


def routes() -> Iterator[tuple[str, str]]:
    """Method and address of every route, but those of WebSockets."""
    yield "GET", DOCUMENT
    for router in (*ROUTERS, *PAGES):
        for route in router.routes:
            if not isinstance(route, WebSocketRoute):
                for method in route.methods - {"HEAD"}:  # type: ignore[attr-defined]
                    yield method, with_names(route.path)  # type: ignore[attr-defined]


def with_names(path: str) -> str:
    return re.sub(r"{[^}]+}", SAID, path)


def is_open(path: str) -> bool:
    return path == "/login" or path.startswith("/static/")


@pytest.fixture
def stranger(sqlite: Store, tokens: Tokens) -> Iterator[TestClient]:
    """Somebody whom the server does not know."""
    app, served = an_app(sqlite, tokens)
    with TestClient(app, base_url=BASE) as client:
        yield client
    served.acting.close()
    served.stores.close()


def cookie(role: Role) -> dict[str, str]:
    session = new_session(Tokens(admin=ADMIN, reader=READER), role)
    return {"cookie": f"{COOKIE}={session}"}


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_there_are_routes_of_every_kind() -> None:
    found = {path for _, path in routes()}
    assert {DOCUMENT, "/", "/metrics", "/jobs/workers/start", "/api/v1/runs", "/live"} <= found
    assert len(found) > 100


def test_nobody_is_let_in_without_credentials(stranger: TestClient) -> None:
    for method, path in routes():
        if is_open(path):
            continue
        for headers in ({}, HTML):
            answer = stranger.request(method, path, headers=headers)
            assert answer.status_code == 401, (method, path, headers)


def test_nobody_is_let_in_with_wrong_credentials(stranger: TestClient) -> None:
    for headers in (
        bearer("wrong"),
        bearer(""),
        {"authorization": "Basic YTpi"},
        {"authorization": ADMIN},
        {"cookie": f"{COOKIE}=admin.9999999999.x.0000"},
        {"cookie": f"{COOKIE}="},
    ):
        answer = stranger.get("/api/v1/runs", headers=headers)
        assert answer.status_code == 401, headers
        assert answer.headers["www-authenticate"] == "Bearer"
        assert ADMIN not in answer.text


def test_a_person_who_is_not_logged_in_gets_the_form_and_still_401(stranger: TestClient) -> None:
    answer = stranger.get("/runs/x/tasks?state=failed", headers=HTML)
    assert (answer.status_code, 'name="token"' in answer.text) == (401, True)
    assert "/runs/x/tasks?state=failed" in answer.text
    assert stranger.get("/login", headers=HTML).status_code == 200


def test_a_reader_reads_and_changes_nothing(stranger: TestClient) -> None:
    as_person = {**cookie(Role.READER), "origin": BASE}
    for method, path in routes():
        if is_open(path) or path == "/logout" or path.endswith("/live"):
            continue  # a stream does not end
        answer = stranger.request(method, path, headers=bearer(READER))
        assert (answer.status_code == 403) == (method not in SAFE), (method, path)
        if method not in SAFE:
            answer = stranger.request(method, path, headers=as_person)
            assert answer.status_code == 403, (method, path)


def test_another_host_is_not_served(stranger: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "a/b"):
        for method, path in (("GET", "/"), ("GET", "/api/v1/runs"), ("POST", "/jobs/workers/stop")):
            answer = stranger.request(method, path, headers={"host": host, **bearer(ADMIN)})
            assert answer.status_code == 421, (host, path)
    answer = stranger.get("/api/v1/runs", headers={"host": "sw.example.com:8443", **bearer(ADMIN)})
    assert "this server is not 'sw.example.com'; " in answer.json()["detail"]
    for host in ("localhost", "localhost:1234", "127.0.0.1:8765", "[::1]:8765"):
        headers = {"host": host, **bearer(ADMIN)}
        assert stranger.get("/api/v1/runs", headers=headers).status_code == 200, host


def test_other_sites_cannot_post(stranger: TestClient) -> None:
    foreign: list[dict[str, str]] = [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1:8765.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": BASE, "sec-fetch-site": "cross-site"},
    ]
    for headers in foreign:
        for known in (cookie(Role.ADMIN), bearer(ADMIN)):
            answer = stranger.post("/jobs/workers/stop", headers={**headers, **known})
            assert answer.status_code == 403, headers
    for method, path in routes():
        if method not in SAFE:
            answer = stranger.request(method, path, headers={**foreign[0], **cookie(Role.ADMIN)})
            assert answer.status_code == 403, (method, path)


def test_a_cookie_alone_changes_nothing(stranger: TestClient) -> None:
    for method, path in routes():
        if method not in SAFE and not is_open(path):
            answer = stranger.request(method, path, headers=cookie(Role.ADMIN))
            assert (answer.status_code, "origin" in answer.text) == (403, True), (method, path)
    told = {**cookie(Role.ADMIN), "origin": BASE}
    assert stranger.post("/api/v1/notices/retry", headers=told).status_code == 200


def test_a_session_ends_with_its_token(stranger: TestClient) -> None:
    other = new_session(Tokens(admin="another-token-entirely", reader=READER), Role.ADMIN)
    for session in (other, other[:-1], "admin.1.x." + "0" * 64, "\xe4", "a.b.c", '"', ";"):
        answer = stranger.get("/api/v1/runs", headers={"cookie": f"{COOKIE}={session}".encode()})
        assert answer.status_code == 401, session


def test_the_websocket_is_guarded_too(stranger: TestClient) -> None:
    # Its client would name another host.
    here = {"host": "127.0.0.1:8765"}
    refused: list[dict[str, str]] = [
        {},
        bearer("wrong"),
        {**bearer(ADMIN), "origin": "https://evil.example"},
        {**bearer(ADMIN), "host": "evil.example"},
        {**cookie(Role.ADMIN), "origin": "https://evil.example"},
        cookie(Role.ADMIN),
    ]
    for headers in refused:
        with (
            pytest.raises((WebSocketDisconnect, WebSocketDenialResponse)),
            stranger.websocket_connect("/jobs/status", headers={**here, **headers}),
        ):
            pytest.fail(f"let in with {headers}")


@pytest.mark.parametrize(("scheme", "secure"), [("https", True), ("http", False)])
def test_behind_tls_the_cookie_is_sent_over_tls_only(
    stranger: TestClient, scheme: str, secure: bool
) -> None:
    origin = f"{scheme}://{BASE.partition('://')[2]}"
    headers = {"x-forwarded-proto": scheme, "origin": origin}
    answer = stranger.post("/login", data={"token": ADMIN}, headers=headers, follow_redirects=False)
    assert answer.status_code == 303
    assert ("Secure" in answer.headers["set-cookie"]) is secure


def test_bodies_are_bounded_whatever_their_headers_say(stranger: TestClient) -> None:
    large = b'{"num_workers": 1, "x": "' + b"x" * guard.MAX_BODY_BYTES + b'"}'

    def chunks() -> Iterator[bytes]:
        yield large

    for path in ("/jobs/workers/start", "/api/v1/runs", "/login"):
        for content in (large, chunks()):
            kind = "application/x-www-form-urlencoded" if path == "/login" else "application/json"
            headers = {**bearer(ADMIN), "content-type": kind}
            answer = stranger.post(path, content=content, headers=headers)
            assert answer.status_code == 413, path
            assert "1,048,576" in answer.text
    lying = {**bearer(ADMIN), "content-length": "2", "content-type": "application/json"}
    answer = stranger.post("/jobs/workers/start", content=large, headers=lying)
    assert answer.status_code in {400, 413}
    for length in ("-1", "a", "1e3", "9" * 30):
        headers = {**bearer(ADMIN), "content-length": length}
        assert stranger.post("/jobs/workers/stop", headers=headers).status_code in {400, 413}


def test_too_many_fields_are_refused(stranger: TestClient) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": BASE}
    many = "&".join(f"f{number}=1" for number in range(5_000))
    answer = stranger.post("/login", content=many, headers=headers)
    assert answer.status_code in {400, 401, 413}
    parts = "".join(
        f'--b\r\ncontent-disposition: form-data; name="f{number}"\r\n\r\n1\r\n'
        for number in range(2_000)
    )
    headers["content-type"] = "multipart/form-data; boundary=b"
    assert stranger.post("/login", content=f"{parts}--b--\r\n", headers=headers).status_code == 400


def test_the_token_file_is_its_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = tokens_for(Settings())
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600
    assert tokens_for(Settings()) == made
    assert made.admin != made.reader
    assert len(made.admin) >= 32


@pytest.mark.slow
def test_no_secret_is_in_any_answer(store: Store, tokens: Tokens, books: str) -> None:
    """A canary in every place for a secret, and in texts that may quote one."""
    found = planted(store)
    with_password = swather.store.open(store.url.replace("://postgres@", f"://postgres:{CANARY}@"))
    assert store.url.startswith("sqlite:") or CANARY in with_password.url
    app, served = an_app(with_password, tokens)
    Path("swather.toml").write_text(
        f'webhook = "https://hooks.example/{CANARY}"\nwebhook_secret = "{CANARY}"\n'
        '[scrapers.books]\npath = "books.py"\n'
    )
    headers = bearer(READER)
    with TestClient(app, base_url=BASE, headers=headers) as client:
        for path in addresses(found):
            answer = client.get(path, headers=HTML)
            assert answer.status_code < 500, (path, answer.text)
            for secret in (CANARY, ADMIN, READER):
                assert secret not in answer.text, (path, secret)
                assert secret not in str(answer.headers), path
    served.acting.close()
    served.stores.close()
    with_password.close()


def planted(store: Store) -> dict[str, str]:
    """Something of every noun with a secret in it, and what it is called in addresses."""
    url = f"http://user:{CANARY}@proxy.example:80/"
    run = a_run(store, 3, lane="shop.example", params={"password": CANARY, "site": url})
    worker = a_worker(store, name="barn-0")
    fault = a_fault(
        f"cannot reach {url}", ErrorClass.PROXY, traceback=f"Traceback: password={CANARY}\n"
    )
    first, second, _ = claim(store, worker, 3)
    finish(store, completed(first, {"title": "A"}), failed(second, "proxy", fault))
    store.workers.tell(worker, {"trouble": f"{url} is away", "busy": 1})
    store.lanes.cool("shop.example", 60, f"after {url}")
    store.proxies.load(parse_proxies([url])[0], source=url, replace=True)
    store.actions.begin(actor="admin", verb="run start", subject=url, detail={"url": url})
    schedule = NewSchedule(name="books", scraper="books", cron="0 2 * * *", targets=(url,))
    store.schedules.add(schedule, store.schedules.now())
    store.tasks.enqueue(run, [Target(value={"url": url, "api_key": CANARY})])
    (group,) = store.results.errors(run)
    return {
        "run": run,
        "task": str(second.task_id),
        "group": group.fingerprint,
        "worker": "barn-0",
        "worker_id": str(worker),
        "lane": "shop.example",
        "proxy": str(store.proxies.find()[0].id),
        "schedule": "books",
        "scraper": "books",
        "number": "1",
        "action": "1",
    }


def addresses(found: dict[str, str]) -> Iterator[str]:
    """Of every route that is read, but streams."""
    for router in (*ROUTERS, *PAGES):
        for route in router.routes:
            path: str = route.path  # type: ignore[attr-defined]
            if "GET" in (getattr(route, "methods", None) or ()) and not path.endswith("/live"):
                yield re.sub(r"{(\w+)(:path)?}", lambda name: found.get(name[1], SAID), path)
