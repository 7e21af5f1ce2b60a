import pytest

from tests.cli.conftest import Swather


def health(data: list[dict[str, str]]) -> dict[str, str]:
    return {check["what"]: check["health"] for check in data}


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
