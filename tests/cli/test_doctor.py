import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Swather, done


def health(data: list[dict[str, str]]) -> dict[str, str]:
    return {check["what"]: check["health"] for check in data}


@pytest.mark.slow
def test_all_is_well(swather: Swather, database: str):
    said = swather("doctor", "--db", database, "--json")
    assert said.code == 0, said.out
    assert set(health(said.data).values()) == {"ok"}
    told = {check["what"]: check["said"] for check in said.data}
    assert "schema version" in told["database"]
    assert told["extra parquet"].startswith("pyarrow ")


def test_a_table_for_people(swather: Swather):
    said = swather("doctor")
    assert said.code == 0
    assert "swather.db does not exist yet; it is created when needed" in said.out


@pytest.mark.slow
def test_a_server_that_is_not_there_is_a_problem(swather: Swather):
    said = swather("doctor", "--db", "postgresql://nobody:secret@127.0.0.1:1/none", "--json")
    assert said.code == 1
    assert health(said.data)["database"] == "PROBLEM"
    assert "secret" not in said.out


def test_bad_settings_are_a_problem(swather: Swather, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_WORKERS", "many")
    said = swather("doctor", "--json")
    assert said.code == 1
    assert health(said.data)["settings"] == "PROBLEM"


def test_scrapers_that_are_installed_are_listed(swather: Swather):
    said = swather("scrapers")
    assert said.code == 0
    assert swather("scrapers", "--json").code == 0


def a_program(path: Path, says: str) -> str:
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("variable", "says", "what", "found", "told"),
    [
        ("SWATHER_CHROMIUM", "Chromium 156.0.8078.79 Debian", "Chromium", "ok", "156 (/"),
        (
            "SWATHER_CHROMIUM",
            "Chromium 90.0.4430.93",
            "Chromium",
            "PROBLEM",
            "must be 120 or newer",
        ),
        ("SWATHER_CHROMIUM", "who?", "Chromium", "warning", "does not tell its version"),
        ("SWATHER_TOR_BINARY", "Tor version 0.4.9.11.", "Tor", "ok", "0.4.9.11 (/"),
        ("SWATHER_TOR_BINARY", "who?", "Tor", "warning", "does not tell its version"),
    ],
)
def test_programs_are_found_and_asked_for_their_version(
    swather: Swather, tmp_path: Path, monkeypatch, variable, says, what, found, told
):
    monkeypatch.setenv(variable, a_program(tmp_path / "program", says))
    checks = {check["what"]: check for check in swather("doctor", "--json").data}
    assert checks[what]["health"] == found
    assert told in checks[what]["said"]
    if what == "Tor" and found == "ok":
        assert "apt install tor-geoipdb" in checks["Tor countries"]["said"]


@pytest.mark.parametrize(
    ("variable", "what"), [("SWATHER_CHROMIUM", "Chromium"), ("SWATHER_TOR_BINARY", "Tor")]
)
def test_a_program_that_is_named_and_missing_is_a_problem(
    swather: Swather, monkeypatch: pytest.MonkeyPatch, variable, what
):
    monkeypatch.setenv(variable, "/nowhere/at/all")
    said = swather("doctor", "--json")
    assert said.code == 1
    assert health(said.data)[what] == "PROBLEM"


@pytest.mark.slow
def test_a_tor_daemon_that_does_not_listen_is_a_problem(
    swather: Swather, monkeypatch: pytest.MonkeyPatch
):
    with socket.create_server(("127.0.0.1", 0)) as daemon:
        address = f"127.0.0.1:{daemon.getsockname()[1]}"
        monkeypatch.setenv("SWATHER_TOR_SOCKS", address)
        assert health(swather("doctor", "--json").data)["Tor"] == "ok"
    said = swather("doctor", "--json")
    assert said.code == 1
    (tor,) = (check for check in said.data if check["what"] == "Tor")
    assert (
        tor["said"]
        == f"tor_socks is {address}, and nothing can be reached there: Connection refused"
    )


@pytest.mark.slow
def test_proxies_are_counted(swather: Swather, database: str):
    where = ("--db", database)
    told = {check["what"]: check["said"] for check in swather("doctor", "--json", *where).data}
    assert told["proxies"].startswith("none; to import a list: swather proxies import FILE")
    Path("proxies.txt").write_text("198.51.100.1:1\n198.51.100.2:1\n")
    done(swather, "proxies", "import", "proxies.txt", *where)
    done(swather, "proxies", "disable", "198.51.100.1", *where)
    (found,) = (
        check for check in swather("doctor", "--json", *where).data if check["what"] == "proxies"
    )
    assert (found["health"], found["said"]) == ("ok", "1 of 2 usable")
    done(swather, "proxies", "disable", "--all", *where)
    assert health(swather("doctor", "--json", *where).data)["proxies"] == "warning"


@pytest.mark.slow
def test_where_metrics_and_traces_go_is_told_and_a_collector_that_is_away_is_a_warning(
    swather: Swather, monkeypatch: pytest.MonkeyPatch
):
    assert not {"metrics", "traces"} & health(swather("doctor", "--json").data).keys()
    monkeypatch.setenv("SWATHER_METRICS_PORT", "9465")
    with socket.create_server(("127.0.0.1", 0)) as collector:
        address = f"http://me:hunter2@127.0.0.1:{collector.getsockname()[1]}"
        monkeypatch.setenv("SWATHER_TRACING_ENDPOINT", address)
        said = swather("doctor", "--json")
        assert (health(said.data)["metrics"], health(said.data)["traces"]) == ("ok", "ok")
    said = swather("doctor", "--json")
    assert (said.code, health(said.data)["traces"]) == (0, "warning")
    assert "hunter2" not in said.out
