"""The page of settings: what applies, where it comes from, and what may be changed from here."""

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from swather.store import Store
from tests.web.seen import assert_only_for_reading, cells, done, seen, words


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "swather.toml").write_text('retries = 7\nwebhook_secret = "hunter2-hunter2"\n')
    monkeypatch.chdir(folder)


def shown(client: TestClient, name: str) -> dict[str, str]:
    return cells(seen(client, "/settings").css_first(f"#{name}"))


def test_each_setting_has_its_value_and_where_it_comes_from(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWATHER_TIMEOUT", "9")
    store.settings.set("concurrency", 15)
    store.settings.set("timeout", 5)
    assert shown(client, "concurrency") == {"value": "15", "from": "settings row"}
    assert shown(client, "retries") == {"value": "7", "from": "swather.toml"}
    assert shown(client, "batch_size")["from"] == "default"
    assert "environment (SWATHER_TIMEOUT)" in shown(client, "timeout")["from"]
    one = words(seen(client, "/settings/timeout").css_first("main"))
    assert "The value in the database does not apply here" in one
    assert "hunter2" not in client.get("/settings").text
    assert "hunter2" not in client.get("/settings/webhook_secret").text


def test_a_change_is_kept_in_the_row_and_taken_back(client: TestClient, store: Store) -> None:
    client.post("/settings/concurrency", data={"value": "25"})
    assert store.settings.all() == {"concurrency": 25}
    assert shown(client, "concurrency")["value"] == "25"
    client.post("/settings/concurrency/unset")
    assert store.settings.all() == {}
    assert done(store) == [("setting set", "concurrency"), ("setting unset", "concurrency")]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("concurrency", "-1", "concurrency"),
        ("concurrency", "many", "concurrency"),
        ("files_folder", "../secrets", "must be a relative path"),
        ("db", "sqlite:///other.db", "cannot be set in the database"),
        ("api_token", "a-token-of-my-own", "cannot be set in the database"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(
    sqlite_client: TestClient, sqlite: Store, name: str, value: str, said: str
) -> None:
    answer = sqlite_client.post(f"/settings/{name}", data={"value": value})
    assert answer.status_code == 422
    page = LexborHTMLParser(answer.text)
    error = page.css_first("#value-hint.error, .notice")
    assert error is not None
    if name in ("concurrency", "files_folder"):
        assert said in words(error)
    assert sqlite.settings.all() == {}
    assert done(sqlite) == []


def test_only_some_may_be_changed_and_unknown_ones_are_not_there(
    sqlite_client: TestClient,
) -> None:
    assert seen(sqlite_client, "/settings/concurrency").css_first("form.panel") is not None
    page = seen(sqlite_client, "/settings/api_token")
    assert page.css_first("form.panel") is None
    assert "SWATHER_API_TOKEN" in words(page.css_first(".notice"))
    assert sqlite_client.get("/settings/nothing").status_code == 404
    assert sqlite_client.post("/settings/nothing", data={"value": "1"}).status_code == 404
    assert sqlite_client.post("/settings/nothing/unset").status_code == 404


def test_a_text_finds_settings(sqlite_client: TestClient) -> None:
    rows = seen(sqlite_client, "/settings?q=CONCURRENC").css("tbody tr")
    assert "concurrency" in [row.attributes.get("id") for row in rows]
    assert len(rows) < 10


def test_a_reader_changes_no_setting(sqlite_client: TestClient, sqlite: Store) -> None:
    assert_only_for_reading(sqlite_client, "/settings/concurrency")
    for address in ("/settings/concurrency", "/settings/concurrency/unset"):
        assert sqlite_client.post(address, data={"value": "2"}).status_code == 403
    assert sqlite.settings.all() == {}
