"""PostgreSQL: items that another program's open transaction hides are waited for, then told."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

import swather as api
from swather import scraper
from swather.errors import ResultsIncomplete
from swather.runs import items, transaction_words
from tests.cli.conftest import Swather, done
from tests.cli.scrapers import NUMBERS, write
from tests.postgres import PostgresServer
from tests.store.database import ReusedPostgres

pytestmark = pytest.mark.slow

RUN = ("run", "scrapers.py", "1", "2", "3")


@pytest.fixture
def db(reused: ReusedPostgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("SWATHER_DB", reused.url)
    monkeypatch.setattr(items, "PATIENCE_SECONDS", 2.0)
    write(NUMBERS)
    yield reused.url
    reused.empty()


@contextmanager
def writing(url: str) -> Iterator[int]:
    """An open transaction that has a number; the pid of its connection."""
    with psycopg.connect(url, application_name="somebody") as connection:
        connection.execute("SELECT pg_current_xact_id()")
        yield connection.info.backend_pid


def lines(name: str) -> int:
    return len(Path(name).read_text().splitlines())


def test_a_transaction_in_another_database_keeps_no_results_back(
    swather: Swather, db: str, postgres_server: PostgresServer
):
    with postgres_server.fresh_database() as elsewhere, writing(elsewhere):
        done(swather, *RUN)
        assert lines("numbers.jsonl") == 3
        done(swather, "export", "numbers", "-o", "all.csv")
        assert lines("all.csv") == 1 + 3


@pytest.mark.parametrize("name", ["numbers.jsonl", "numbers.csv"])
def test_a_run_whose_items_cannot_be_read_is_not_done(swather: Swather, db: str, name: str):
    with writing(db) as pid:
        said = swather(*RUN, "-o", name)
        assert said.code == 1
        assert "3 tasks: 3 completed, 0 failed." in said.out
        assert "Results: incomplete, run the same command again: 3 items of run" in said.out
        assert re.search(rf"connection {pid} \(somebody, user postgres, .*open since", said.out)
        assert f"SELECT pg_terminate_backend({pid})" in said.out
    done(swather, *RUN, "-o", name)
    assert lines(name) == 3 + name.endswith(".csv")


def test_it_is_told_for_whom_the_results_wait(
    swather: Swather, db: str, caplog: pytest.LogCaptureFixture
):
    with writing(db) as pid:
        data = json.loads(swather(*RUN, "--json").out)
    assert (data["exit_code"], data["results"]["missing"]) == (1, 3)
    assert f"3 items of run {data['run']} cannot be read yet; waiting up to 2 s" in caplog.text
    assert f"connection {pid} (somebody" in caplog.text


def test_an_export_that_cannot_read_all_leaves_the_file_and_says_what_to_do(
    swather: Swather, db: str
):
    Path("all.jsonl").write_text("old\n")
    with writing(db) as pid:
        swather(*RUN)
        said = swather("export", "numbers", "-o", "all.jsonl")
        assert said.code == 1
        assert "error: all.jsonl was not written: 3 items of run" in said.err
        assert f"SELECT pg_terminate_backend({pid}); to try again: swather export" in said.err
        assert Path("all.jsonl").read_text() == "old\n"
    done(swather, "export", "numbers", "-o", "all.jsonl")
    assert lines("all.jsonl") == 3


def test_an_export_to_stdout_that_lacks_items_fails(swather: Swather, db: str):
    with writing(db):
        swather(*RUN)
        said = swather("export", "numbers", "-o", "-")
        assert (said.code, said.out) == (1, "")
        assert "3 items of run" in said.err
    assert len(done(swather, "export", "numbers", "-o", "-").out.splitlines()) == 3


def test_python_is_told_by_an_exception(db: str, tmp_path: Path):
    @scraper
    async def names(ctx, target):
        return {"name": target}

    with writing(db), pytest.raises(ResultsIncomplete, match="1 item of run"):
        api.run(names, ["a"], db=db, output=tmp_path / "names.jsonl")
    result = api.run(names, ["a"], db=db, output=tmp_path / "names.jsonl")
    assert list(result) == [{"name": "a"}]
    assert lines(str(tmp_path / "names.jsonl")) == 1


def test_status_names_a_connection_that_has_held_locks_for_long(
    swather: Swather, db: str, monkeypatch: pytest.MonkeyPatch
):
    done(swather, *RUN)
    monkeypatch.setattr(transaction_words, "_LONG_SECONDS", 0.0)
    with psycopg.connect(db, application_name="somebody") as holding:
        holding.execute("SELECT * FROM swather.runs FOR UPDATE")
        sentence = f"Connection {holding.info.backend_pid} (somebody, user postgres, "
        assert sentence in done(swather, "status").out
        assert sentence in done(swather, "status", "numbers").out
        assert sentence in done(swather, "status", "numbers", "--json").data["held_up"][0]
    assert done(swather, "status", "--json").data["held_up"] == []
